-- Customers withdraw an anchor's access to the result of their identity check; the visit stays, so that a wallet's
-- later login there does not give the access back.
alter table anchor_visits add column withdrawn_at timestamptz;
