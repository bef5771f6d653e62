-- What is reserved is added up at each reservation: those that expired are passed over.
create index reservations_expire on reservations (expires_at);
