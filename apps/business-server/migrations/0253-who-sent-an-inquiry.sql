-- The network from which an inquiry came: anyone can send one in a provider's name, and each network's are counted apart.
alter table travel_inquiries add column client text;
