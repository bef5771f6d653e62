-- Towards whose limits the transaction counts (the person's id at the platform), also once its account was deleted here.
alter table transfers add column person text;
create index transfers_of_person on transfers (person, created_at) where person is not null;

-- The person who passes here by a link to the account that nobody has proven.
alter table customers add column linked_to text;
create index customers_linked_to on customers (linked_to) where linked_to is not null;
