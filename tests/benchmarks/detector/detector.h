#pragma once

// How often what judges is wrong, on made-up clusters: Markdown on standard output. The generators
// share no code with what judges.

void write_fleets(int clusters);
void write_pairs(int fabrics);
void write_search(int clusters);
void write_compare(int pairs_of_runs);
void write_sequential(int clusters);
void write_speed();
