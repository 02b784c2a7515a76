-- Those with an order have taken its place.
DROP INDEX "issues_assignee_id_idx";
