-- What this server does not have yet is off in new projects. What was set stays.
ALTER TABLE "projects" ALTER COLUMN "wiki_enabled" SET DEFAULT false,
ALTER COLUMN "container_registry_enabled" SET DEFAULT false,
ALTER COLUMN "lfs_enabled" SET DEFAULT false;
