-- Withdrawals that customers agreed to before their rate was that of the payment's arrival keep the amounts that the page
-- called fixed.
alter table transfers add column priced_at_arrival boolean not null default false;
