-- AlterTable
ALTER TABLE "namespaces" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "personal_access_tokens" ADD COLUMN     "impersonation" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "project_counters" ADD COLUMN     "commits" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "forks" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "job_artifacts_size" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "lfs_objects_size" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "repository_size" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "stars" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "forked_from_id" INTEGER,
ADD COLUMN     "tag_list" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "ghost" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "password_expires_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "access_requests" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "project_id" INTEGER,
    "namespace_id" INTEGER,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "access_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "path_redirects" (
    "id" SERIAL NOT NULL,
    "path" TEXT NOT NULL,
    "project_id" INTEGER,
    "namespace_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "path_redirects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project_stars" (
    "project_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_stars_pkey" PRIMARY KEY ("project_id","user_id")
);

-- CreateTable
CREATE TABLE "application_settings" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "default_projects_limit" INTEGER NOT NULL DEFAULT 100000,
    "signup_enabled" BOOLEAN NOT NULL DEFAULT true,
    "signin_enabled" BOOLEAN NOT NULL DEFAULT true,
    "avatar_service_enabled" BOOLEAN NOT NULL DEFAULT true,
    "sign_in_text" TEXT,
    "home_page_url" TEXT,
    "default_branch_protection" INTEGER NOT NULL DEFAULT 2,
    "restricted_visibility_levels" JSONB,
    "max_attachment_size" INTEGER NOT NULL DEFAULT 10,
    "session_expire_delay" INTEGER NOT NULL DEFAULT 10080,
    "default_project_visibility" "visibility" NOT NULL DEFAULT 'private',
    "default_snippet_visibility" "visibility" NOT NULL DEFAULT 'private',
    "default_group_visibility" "visibility" NOT NULL DEFAULT 'private',
    "domain_whitelist" JSONB,
    "domain_blacklist_enabled" BOOLEAN NOT NULL DEFAULT false,
    "domain_blacklist" JSONB,
    "user_oauth_applications" BOOLEAN NOT NULL DEFAULT true,
    "after_sign_out_path" TEXT,
    "container_registry_token_expire_delay" INTEGER NOT NULL DEFAULT 5,
    "repository_storages" JSONB NOT NULL DEFAULT '["default"]',
    "enabled_git_access_protocol" TEXT,
    "codeide_enabled" BOOLEAN NOT NULL DEFAULT false,
    "codeide_url" TEXT,
    "disabled_oauth_sign_in_sources" JSONB NOT NULL DEFAULT '[]',
    "diagram_enabled" BOOLEAN NOT NULL DEFAULT false,
    "diagram_url" TEXT,
    "terminal_max_session_time" INTEGER NOT NULL DEFAULT 0,
    "polling_interval_multiplier" DOUBLE PRECISION NOT NULL DEFAULT 1,

    CONSTRAINT "application_settings_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "emails" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "emails_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ssh_keys" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "fingerprint_sha256" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ssh_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "identities" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "extern_uid" TEXT NOT NULL,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_failures" (
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_failures_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "access_requests_user_id_idx" ON "access_requests"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "access_requests_project_id_user_id_key" ON "access_requests"("project_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "access_requests_namespace_id_user_id_key" ON "access_requests"("namespace_id", "user_id");

-- CreateIndex
CREATE INDEX "path_redirects_project_id_idx" ON "path_redirects"("project_id");

-- CreateIndex
CREATE INDEX "path_redirects_namespace_id_idx" ON "path_redirects"("namespace_id");

-- CreateIndex
CREATE INDEX "project_stars_user_id_idx" ON "project_stars"("user_id");

-- CreateIndex
CREATE INDEX "emails_user_id_id_idx" ON "emails"("user_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ssh_keys_fingerprint_sha256" ON "ssh_keys"("fingerprint_sha256");

-- CreateIndex
CREATE INDEX "ssh_keys_user_id_id_idx" ON "ssh_keys"("user_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "identities_provider_extern_uid_key" ON "identities"("provider", "extern_uid");

-- CreateIndex
CREATE UNIQUE INDEX "identities_user_id_provider_key" ON "identities"("user_id", "provider");

-- CreateIndex
CREATE INDEX "namespaces_name_trgm" ON "namespaces" USING GIN ("name" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "namespaces_path_trgm" ON "namespaces" USING GIN ("path" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "projects_forked_from_id_idx" ON "projects"("forked_from_id");

-- CreateIndex
CREATE INDEX "projects_created_at_id_idx" ON "projects"("created_at", "id");

-- CreateIndex
CREATE INDEX "projects_updated_at_id_idx" ON "projects"("updated_at", "id");

-- CreateIndex
CREATE INDEX "projects_last_activity_at_id_idx" ON "projects"("last_activity_at", "id");

-- CreateIndex
CREATE INDEX "projects_name_id_idx" ON "projects"("name", "id");

-- CreateIndex
CREATE INDEX "projects_path_id_idx" ON "projects"("path", "id");

-- CreateIndex
CREATE INDEX "projects_name_trgm" ON "projects" USING GIN ("name" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "projects_path_trgm" ON "projects" USING GIN ("path" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "projects_description_trgm" ON "projects" USING GIN ("description" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "users_name_trgm" ON "users" USING GIN ("name" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "users_username_trgm" ON "users" USING GIN ("username" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "users_email_trgm" ON "users" USING GIN ("email" gin_trgm_ops);

-- AddForeignKey
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "path_redirects" ADD CONSTRAINT "path_redirects_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "path_redirects" ADD CONSTRAINT "path_redirects_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_forked_from_id_fkey" FOREIGN KEY ("forked_from_id") REFERENCES "projects"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_stars" ADD CONSTRAINT "project_stars_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_stars" ADD CONSTRAINT "project_stars_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "emails" ADD CONSTRAINT "emails_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ssh_keys" ADD CONSTRAINT "ssh_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language has no words for -------------------------------------------------------------------

INSERT INTO "application_settings" DEFAULT VALUES;
ALTER TABLE "application_settings" ADD CONSTRAINT "application_settings_one_row" CHECK ("id" = 1);

-- What waits for its deletion takes no name or path.
DROP INDEX "namespaces_full_path_lower";
DROP INDEX "projects_path_lower";
DROP INDEX "projects_name_lower";
CREATE UNIQUE INDEX "namespaces_full_path_lower" ON "namespaces" (lower("full_path")) WHERE "deleted_at" IS NULL;
CREATE UNIQUE INDEX "projects_path_lower" ON "projects" ("namespace_id", lower("path")) WHERE "deleted_at" IS NULL;
CREATE UNIQUE INDEX "projects_name_lower" ON "projects" ("namespace_id", lower("name")) WHERE "deleted_at" IS NULL;
CREATE UNIQUE INDEX "path_redirects_path_lower" ON "path_redirects" (lower("path"));

-- Read with every list and seldom written: nothing waits in a list of its own.
ALTER INDEX "namespaces_lineage_idx" SET (fastupdate = off);

-- The personal namespace of a deleted user waits for its deletion without an owner.
ALTER TABLE "namespaces" DROP CONSTRAINT "namespaces_owner";
ALTER TABLE "namespaces" ADD CONSTRAINT "namespaces_owner"
  CHECK (("kind" = 'user') = ("owner_id" IS NOT NULL) OR ("kind" = 'user' AND "deleted_at" IS NOT NULL));

ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_one_source" CHECK (num_nonnulls("project_id", "namespace_id") = 1);
ALTER TABLE "path_redirects" ADD CONSTRAINT "path_redirects_one_target" CHECK (num_nonnulls("project_id", "namespace_id") = 1);
ALTER TABLE "project_shares" ADD CONSTRAINT "project_shares_group_access" CHECK ("group_access" IN (10, 20, 30, 40));
ALTER TABLE "users" ADD CONSTRAINT "users_projects_limit" CHECK ("projects_limit" >= 0);
CREATE UNIQUE INDEX "users_ghost" ON "users" ("ghost") WHERE "ghost";

-- Orders that lists offer, and what the job of expiry looks for.
CREATE INDEX "namespaces_group_name" ON "namespaces" ("name", "id") WHERE "kind" = 'group' AND "deleted_at" IS NULL;
CREATE INDEX "namespaces_group_path" ON "namespaces" ("path", "id") WHERE "kind" = 'group' AND "deleted_at" IS NULL;
CREATE INDEX "members_expires_at" ON "members" ("expires_at") WHERE "expires_at" IS NOT NULL;
CREATE INDEX "project_shares_expires_at" ON "project_shares" ("expires_at") WHERE "expires_at" IS NOT NULL;

-- An e-mail address belongs to one user, as primary or as secondary address, whatever its case. The lock lets two
-- transactions that want the same address see each other's rows.
CREATE UNIQUE INDEX "emails_email_lower" ON "emails" (lower("email"));
CREATE FUNCTION "claim_email"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('email ' || lower(NEW.email), 0));
  IF TG_TABLE_NAME = 'users' THEN
    SELECT EXISTS (SELECT 1 FROM emails WHERE lower(email) = lower(NEW.email)) INTO taken;
  ELSE
    SELECT EXISTS (SELECT 1 FROM users WHERE lower(email) = lower(NEW.email)) INTO taken;
  END IF;
  IF taken THEN
    RAISE unique_violation USING MESSAGE = 'the address is taken', CONSTRAINT = TG_TABLE_NAME || '_email_lower';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "users_claim_email" BEFORE INSERT OR UPDATE OF "email" ON "users" FOR EACH ROW EXECUTE FUNCTION "claim_email"();
CREATE TRIGGER "emails_claim_email" BEFORE INSERT OR UPDATE OF "email" ON "emails" FOR EACH ROW EXECUTE FUNCTION "claim_email"();

-- Stars and forks of a project, counted with every change.
CREATE FUNCTION "count_star"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE project_counters SET stars = stars + 1 WHERE project_id = NEW.project_id;
  ELSE
    UPDATE project_counters SET stars = stars - 1 WHERE project_id = OLD.project_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "project_stars_count" AFTER INSERT OR DELETE ON "project_stars" FOR EACH ROW EXECUTE FUNCTION "count_star"();

CREATE FUNCTION "count_fork"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    IF OLD.forked_from_id IS NOT NULL AND OLD.deleted_at IS NULL THEN
      UPDATE project_counters SET forks = forks - 1 WHERE project_id = OLD.forked_from_id;
    END IF;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF NEW.forked_from_id IS NOT NULL AND NEW.deleted_at IS NULL THEN
      UPDATE project_counters SET forks = forks + 1 WHERE project_id = NEW.forked_from_id;
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "projects_count_forks" AFTER INSERT OR DELETE OR UPDATE OF "forked_from_id", "deleted_at" ON "projects"
  FOR EACH ROW EXECUTE FUNCTION "count_fork"();

-- Every process hears of changed settings.
CREATE FUNCTION "tell_settings"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gantry_settings', '');
  RETURN NULL;
END $$;
CREATE TRIGGER "application_settings_changed" AFTER UPDATE ON "application_settings"
  FOR EACH STATEMENT EXECUTE FUNCTION "tell_settings"();

-- A project and a group in the same namespace share no path. The lock lets two transactions that want the same one see
-- each other's rows.
CREATE FUNCTION "claim_path"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'projects' THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('path ' || NEW.namespace_id || ' ' || lower(NEW.path), 0));
    IF NEW.deleted_at IS NULL AND EXISTS (SELECT 1 FROM namespaces
      WHERE parent_id = NEW.namespace_id AND lower(path) = lower(NEW.path) AND deleted_at IS NULL) THEN
      RAISE unique_violation USING MESSAGE = 'a group has the path', CONSTRAINT = 'projects_path_lower';
    END IF;
  ELSIF NEW.parent_id IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('path ' || NEW.parent_id || ' ' || lower(NEW.path), 0));
    IF NEW.deleted_at IS NULL AND EXISTS (SELECT 1 FROM projects
      WHERE namespace_id = NEW.parent_id AND lower(path) = lower(NEW.path) AND deleted_at IS NULL) THEN
      RAISE unique_violation USING MESSAGE = 'a project has the path', CONSTRAINT = 'namespaces_full_path_lower';
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "projects_claim_path" BEFORE INSERT OR UPDATE OF "path", "namespace_id" ON "projects"
  FOR EACH ROW EXECUTE FUNCTION "claim_path"();
CREATE TRIGGER "namespaces_claim_path" BEFORE INSERT OR UPDATE OF "path", "parent_id" ON "namespaces"
  FOR EACH ROW EXECUTE FUNCTION "claim_path"();

-- A project was last active when the last event happened in it, to the minute. A project that something else has locked is
-- passed over, so that nobody waits for it here.
CREATE FUNCTION "note_activity"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE projects SET last_activity_at = NEW.created_at WHERE id IN (
    SELECT id FROM projects WHERE id = NEW.project_id AND last_activity_at < NEW.created_at - interval '1 minute'
    FOR NO KEY UPDATE SKIP LOCKED);
  RETURN NULL;
END $$;
CREATE TRIGGER "events_note_activity" AFTER INSERT ON "events" FOR EACH ROW EXECUTE FUNCTION "note_activity"();
