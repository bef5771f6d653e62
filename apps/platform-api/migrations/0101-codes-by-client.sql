-- The network of the client that asked for the code: guesses from elsewhere use tries of their own.
alter table login_codes add column client text not null default '';
alter table login_codes add column tries_elsewhere integer not null default 0;
