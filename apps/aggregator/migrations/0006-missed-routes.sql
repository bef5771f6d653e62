-- A route that nobody could serve is a decision without a winner.
alter table routing_decisions alter column winner drop not null;
create index routing_decisions_missed on routing_decisions (id) where winner is null;
