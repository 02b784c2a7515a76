-- Where an administrator left the sources of imports as they were, there is one more.
ALTER TABLE "application_settings" ALTER COLUMN "import_sources" SET DEFAULT ARRAY['git', 'gitlab_project', 'github', 'gitea', 'gitlab']::TEXT[];
UPDATE "application_settings" SET "import_sources" = ARRAY['git', 'gitlab_project', 'github', 'gitea', 'gitlab'] WHERE "import_sources" = ARRAY['git', 'gitlab_project', 'github', 'gitea'];
