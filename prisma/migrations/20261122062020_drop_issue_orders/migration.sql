-- The indexes over live issues have taken their place: with these PostgreSQL would rather sort all issues of a project by
-- another index, as it does not know how many these are.
DROP INDEX "issues_project_id_created_at_id_idx";
DROP INDEX "issues_project_id_updated_at_id_idx";
