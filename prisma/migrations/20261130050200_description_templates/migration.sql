-- What the descriptions of new issues and merge requests begin with, by the settings of a project.
ALTER TABLE "projects" ADD COLUMN "issues_template" TEXT, ADD COLUMN "merge_requests_template" TEXT;
