-- Why a line of a statement waits for a person that could not be matched: what follows from it is refused, or the server failed.
alter table bank_lines add column review_code text check (review_code in ('refused', 'failed'));
