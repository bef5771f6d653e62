-- Names are compared in another way from now on, so that each is compared again with the lists as they are.
update screened_names set compared = 0 where replaced_at is null;
