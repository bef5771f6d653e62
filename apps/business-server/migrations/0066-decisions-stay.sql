-- What operators did with a transaction, and decided about a hit, is evidence: neither changes once it is decided.
create trigger only_added before update or delete on screening_decisions for each row
execute function refuse_to_change_history();

create trigger kept before delete or update of id, transfer_id, kind, reason, payment_id, requested_by, requested_at, two_people
on operator_actions for each row execute function refuse_to_change_history();
create trigger decided_once before update on operator_actions for each row when (old.state <> 'waiting')
execute function refuse_to_change_history();
