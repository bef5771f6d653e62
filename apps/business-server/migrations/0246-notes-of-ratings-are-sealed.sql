-- What an officer noted, under DETAILS_KEY. Those of before are encrypted when the server starts.
alter table customer_ratings add column sealed_note bytea;
