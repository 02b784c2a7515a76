-- CreateEnum
CREATE TYPE "namespace_kind" AS ENUM ('user', 'group');

-- CreateEnum
CREATE TYPE "visibility" AS ENUM ('private', 'internal', 'public');

-- CreateEnum
CREATE TYPE "issue_state" AS ENUM ('opened', 'closed');

-- CreateEnum
CREATE TYPE "merge_request_state" AS ENUM ('opened', 'closed', 'merged');

-- CreateEnum
CREATE TYPE "milestone_state" AS ENUM ('active', 'closed');

-- CreateEnum
CREATE TYPE "user_state" AS ENUM ('active', 'blocked', 'ldap_blocked');

-- CreateTable
CREATE TABLE "events" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER,
    "author_id" INTEGER NOT NULL,
    "action" TEXT NOT NULL,
    "target_type" TEXT,
    "target_id" INTEGER,
    "target_title" TEXT,
    "data" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "namespaces" (
    "id" SERIAL NOT NULL,
    "kind" "namespace_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "full_path" TEXT NOT NULL,
    "full_name" TEXT NOT NULL,
    "parent_id" INTEGER,
    "lineage" INTEGER[],
    "owner_id" INTEGER,
    "description" TEXT NOT NULL DEFAULT '',
    "visibility" "visibility" NOT NULL DEFAULT 'private',
    "lfs_enabled" BOOLEAN NOT NULL DEFAULT true,
    "request_access_enabled" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "namespaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "members" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "project_id" INTEGER,
    "namespace_id" INTEGER,
    "access_level" INTEGER NOT NULL,
    "expires_at" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "members_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "issues" (
    "id" SERIAL NOT NULL,
    "iid" INTEGER NOT NULL,
    "project_id" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "state" "issue_state" NOT NULL DEFAULT 'opened',
    "confidential" BOOLEAN NOT NULL DEFAULT false,
    "author_id" INTEGER NOT NULL,
    "assignee_id" INTEGER,
    "milestone_id" INTEGER,
    "due_date" DATE,
    "moved_to_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "issues_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "issue_labels" (
    "issue_id" INTEGER NOT NULL,
    "label_id" INTEGER NOT NULL,

    CONSTRAINT "issue_labels_pkey" PRIMARY KEY ("issue_id","label_id")
);

-- CreateTable
CREATE TABLE "labels" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "color" TEXT NOT NULL,
    "description" TEXT,
    "priority" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "labels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "merge_requests" (
    "id" SERIAL NOT NULL,
    "iid" INTEGER NOT NULL,
    "target_project_id" INTEGER NOT NULL,
    "source_project_id" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "state" "merge_request_state" NOT NULL DEFAULT 'opened',
    "source_branch" TEXT NOT NULL,
    "target_branch" TEXT NOT NULL,
    "author_id" INTEGER NOT NULL,
    "assignee_id" INTEGER,
    "milestone_id" INTEGER,
    "merge_status" TEXT NOT NULL DEFAULT 'unchecked',
    "sha" TEXT,
    "merge_commit_sha" TEXT,
    "merge_when_pipeline_succeeds" BOOLEAN NOT NULL DEFAULT false,
    "should_remove_source_branch" BOOLEAN,
    "force_remove_source_branch" BOOLEAN,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "merge_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "merge_request_labels" (
    "merge_request_id" INTEGER NOT NULL,
    "label_id" INTEGER NOT NULL,

    CONSTRAINT "merge_request_labels_pkey" PRIMARY KEY ("merge_request_id","label_id")
);

-- CreateTable
CREATE TABLE "milestones" (
    "id" SERIAL NOT NULL,
    "iid" INTEGER NOT NULL,
    "project_id" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "state" "milestone_state" NOT NULL DEFAULT 'active',
    "start_date" DATE,
    "due_date" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "milestones_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notes" (
    "id" SERIAL NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "author_id" INTEGER NOT NULL,
    "body" TEXT NOT NULL,
    "system" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "award_emoji" (
    "id" SERIAL NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "award_emoji_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "projects" (
    "id" SERIAL NOT NULL,
    "namespace_id" INTEGER NOT NULL,
    "creator_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "description" TEXT,
    "visibility" "visibility" NOT NULL DEFAULT 'private',
    "archived" BOOLEAN NOT NULL DEFAULT false,
    "default_branch" TEXT,
    "issues_enabled" BOOLEAN NOT NULL DEFAULT true,
    "merge_requests_enabled" BOOLEAN NOT NULL DEFAULT true,
    "wiki_enabled" BOOLEAN NOT NULL DEFAULT true,
    "jobs_enabled" BOOLEAN NOT NULL DEFAULT true,
    "snippets_enabled" BOOLEAN NOT NULL DEFAULT true,
    "container_registry_enabled" BOOLEAN NOT NULL DEFAULT true,
    "shared_runners_enabled" BOOLEAN NOT NULL DEFAULT true,
    "lfs_enabled" BOOLEAN NOT NULL DEFAULT true,
    "public_jobs" BOOLEAN NOT NULL DEFAULT true,
    "request_access_enabled" BOOLEAN NOT NULL DEFAULT false,
    "only_allow_merge_if_pipeline_succeeds" BOOLEAN NOT NULL DEFAULT false,
    "only_allow_merge_if_all_discussions_are_resolved" BOOLEAN NOT NULL DEFAULT false,
    "runners_token" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_activity_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project_counters" (
    "project_id" INTEGER NOT NULL,
    "last_issue_iid" INTEGER NOT NULL DEFAULT 0,
    "last_milestone_iid" INTEGER NOT NULL DEFAULT 0,
    "opened" INTEGER NOT NULL DEFAULT 0,
    "closed" INTEGER NOT NULL DEFAULT 0,
    "opened_confidential" INTEGER NOT NULL DEFAULT 0,
    "closed_confidential" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "project_counters_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "project_shares" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "group_id" INTEGER NOT NULL,
    "group_access" INTEGER NOT NULL,
    "expires_at" DATE,

    CONSTRAINT "project_shares_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "subscribed" BOOLEAN NOT NULL,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" SERIAL NOT NULL,
    "username" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "state" "user_state" NOT NULL DEFAULT 'active',
    "admin" BOOLEAN NOT NULL DEFAULT false,
    "external" BOOLEAN NOT NULL DEFAULT false,
    "can_create_group" BOOLEAN NOT NULL DEFAULT true,
    "projects_limit" INTEGER NOT NULL DEFAULT 100000,
    "password_hash" TEXT NOT NULL,
    "private_token_hash" BYTEA NOT NULL,
    "private_token_encrypted" BYTEA NOT NULL,
    "two_factor_enabled" BOOLEAN NOT NULL DEFAULT false,
    "bio" TEXT,
    "location" TEXT,
    "skype" TEXT NOT NULL DEFAULT '',
    "linkedin" TEXT NOT NULL DEFAULT '',
    "twitter" TEXT NOT NULL DEFAULT '',
    "website_url" TEXT NOT NULL DEFAULT '',
    "organization" TEXT,
    "color_scheme_id" INTEGER NOT NULL DEFAULT 1,
    "confirmed_at" TIMESTAMPTZ(3),
    "last_sign_in_at" TIMESTAMPTZ(3),
    "current_sign_in_at" TIMESTAMPTZ(3),
    "last_activity_on" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "personal_access_tokens" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "revoked" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "personal_access_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "events_project_id_id_idx" ON "events"("project_id", "id");

-- CreateIndex
CREATE INDEX "events_author_id_id_idx" ON "events"("author_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "namespaces_owner_id_key" ON "namespaces"("owner_id");

-- CreateIndex
CREATE INDEX "namespaces_parent_id_idx" ON "namespaces"("parent_id");

-- CreateIndex
CREATE INDEX "namespaces_lineage_idx" ON "namespaces" USING GIN ("lineage");

-- CreateIndex
CREATE INDEX "members_user_id_idx" ON "members"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "members_project_id_user_id_key" ON "members"("project_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "members_namespace_id_user_id_key" ON "members"("namespace_id", "user_id");

-- CreateIndex
CREATE INDEX "issues_project_id_created_at_id_idx" ON "issues"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "issues_project_id_updated_at_id_idx" ON "issues"("project_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "issues_author_id_created_at_id_idx" ON "issues"("author_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "issues_assignee_id_idx" ON "issues"("assignee_id");

-- CreateIndex
CREATE INDEX "issues_milestone_id_idx" ON "issues"("milestone_id");

-- CreateIndex
CREATE UNIQUE INDEX "issues_project_id_iid_key" ON "issues"("project_id", "iid");

-- CreateIndex
CREATE INDEX "issue_labels_label_id_issue_id_idx" ON "issue_labels"("label_id", "issue_id");

-- CreateIndex
CREATE UNIQUE INDEX "labels_project_id_title_key" ON "labels"("project_id", "title");

-- CreateIndex
CREATE INDEX "labels_title_idx" ON "labels"("title");

-- CreateIndex
CREATE INDEX "merge_requests_source_project_id_idx" ON "merge_requests"("source_project_id");

-- CreateIndex
CREATE INDEX "merge_requests_milestone_id_idx" ON "merge_requests"("milestone_id");

-- CreateIndex
CREATE INDEX "merge_requests_author_id_idx" ON "merge_requests"("author_id");

-- CreateIndex
CREATE INDEX "merge_requests_assignee_id_idx" ON "merge_requests"("assignee_id");

-- CreateIndex
CREATE UNIQUE INDEX "merge_requests_target_project_id_iid_key" ON "merge_requests"("target_project_id", "iid");

-- CreateIndex
CREATE INDEX "merge_request_labels_label_id_merge_request_id_idx" ON "merge_request_labels"("label_id", "merge_request_id");

-- CreateIndex
CREATE INDEX "milestones_project_id_id_idx" ON "milestones"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "milestones_project_id_iid_key" ON "milestones"("project_id", "iid");

-- CreateIndex
CREATE UNIQUE INDEX "milestones_project_id_title_key" ON "milestones"("project_id", "title");

-- CreateIndex
CREATE INDEX "notes_subject_type_subject_id_id_idx" ON "notes"("subject_type", "subject_id", "id");

-- CreateIndex
CREATE INDEX "notes_author_id_idx" ON "notes"("author_id");

-- CreateIndex
CREATE INDEX "award_emoji_user_id_idx" ON "award_emoji"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "award_emoji_subject_type_subject_id_name_user_id_key" ON "award_emoji"("subject_type", "subject_id", "name", "user_id");

-- CreateIndex
CREATE INDEX "projects_namespace_id_created_at_id_idx" ON "projects"("namespace_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "projects_creator_id_idx" ON "projects"("creator_id");

-- CreateIndex
CREATE INDEX "project_shares_group_id_idx" ON "project_shares"("group_id");

-- CreateIndex
CREATE UNIQUE INDEX "project_shares_project_id_group_id_key" ON "project_shares"("project_id", "group_id");

-- CreateIndex
CREATE INDEX "subscriptions_user_id_idx" ON "subscriptions"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "subscriptions_subject_type_subject_id_user_id_key" ON "subscriptions"("subject_type", "subject_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "users_private_token_hash_key" ON "users"("private_token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "personal_access_tokens_token_hash_key" ON "personal_access_tokens"("token_hash");

-- CreateIndex
CREATE INDEX "personal_access_tokens_user_id_id_idx" ON "personal_access_tokens"("user_id", "id");

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "namespaces" ADD CONSTRAINT "namespaces_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "namespaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "namespaces" ADD CONSTRAINT "namespaces_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issues" ADD CONSTRAINT "issues_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issues" ADD CONSTRAINT "issues_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issues" ADD CONSTRAINT "issues_assignee_id_fkey" FOREIGN KEY ("assignee_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issues" ADD CONSTRAINT "issues_milestone_id_fkey" FOREIGN KEY ("milestone_id") REFERENCES "milestones"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issue_labels" ADD CONSTRAINT "issue_labels_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "issues"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issue_labels" ADD CONSTRAINT "issue_labels_label_id_fkey" FOREIGN KEY ("label_id") REFERENCES "labels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "labels" ADD CONSTRAINT "labels_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merge_requests" ADD CONSTRAINT "merge_requests_target_project_id_fkey" FOREIGN KEY ("target_project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merge_requests" ADD CONSTRAINT "merge_requests_source_project_id_fkey" FOREIGN KEY ("source_project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merge_requests" ADD CONSTRAINT "merge_requests_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merge_requests" ADD CONSTRAINT "merge_requests_assignee_id_fkey" FOREIGN KEY ("assignee_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merge_requests" ADD CONSTRAINT "merge_requests_milestone_id_fkey" FOREIGN KEY ("milestone_id") REFERENCES "milestones"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merge_request_labels" ADD CONSTRAINT "merge_request_labels_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merge_request_labels" ADD CONSTRAINT "merge_request_labels_label_id_fkey" FOREIGN KEY ("label_id") REFERENCES "labels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "milestones" ADD CONSTRAINT "milestones_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "award_emoji" ADD CONSTRAINT "award_emoji_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_counters" ADD CONSTRAINT "project_counters_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_shares" ADD CONSTRAINT "project_shares_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_shares" ADD CONSTRAINT "project_shares_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "personal_access_tokens" ADD CONSTRAINT "personal_access_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language has no words for -------------------------------------------------------------------

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Names are unique whatever their case (behaviour.md 1.6).
CREATE UNIQUE INDEX "users_username_lower" ON "users" (lower("username"));
CREATE UNIQUE INDEX "users_email_lower" ON "users" (lower("email"));
CREATE UNIQUE INDEX "namespaces_full_path_lower" ON "namespaces" (lower("full_path"));
CREATE UNIQUE INDEX "projects_path_lower" ON "projects" ("namespace_id", lower("path"));
CREATE UNIQUE INDEX "projects_name_lower" ON "projects" ("namespace_id", lower("name"));

ALTER TABLE "namespaces" ADD CONSTRAINT "namespaces_owner" CHECK (("kind" = 'user') = ("owner_id" IS NOT NULL));
ALTER TABLE "members" ADD CONSTRAINT "members_one_source" CHECK (num_nonnulls("project_id", "namespace_id") = 1);
ALTER TABLE "members" ADD CONSTRAINT "members_access_level"
  CHECK ("access_level" IN (10, 20, 30, 40) OR ("access_level" = 50 AND "namespace_id" IS NOT NULL));
ALTER TABLE "labels" ADD CONSTRAINT "labels_color" CHECK ("color" ~ '^#[0-9A-Fa-f]{3}([0-9A-Fa-f]{3})?$');
ALTER TABLE "labels" ADD CONSTRAINT "labels_priority" CHECK ("priority" >= 0);
ALTER TABLE "milestones" ADD CONSTRAINT "milestones_dates" CHECK ("start_date" < "due_date");
ALTER TABLE "issues" ADD CONSTRAINT "issues_title" CHECK (char_length("title") BETWEEN 1 AND 255);
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_subject"
  CHECK ("subject_type" IN ('Issue', 'Label', 'MergeRequest'));

-- Orders that lists offer, over live issues only.
CREATE INDEX "issues_state_created" ON "issues" ("project_id", "state", "created_at", "id") WHERE "deleted_at" IS NULL;
CREATE INDEX "issues_confidential" ON "issues" ("project_id", "state") WHERE "confidential" AND "deleted_at" IS NULL;
CREATE INDEX "issues_title_trgm" ON "issues" USING gin ("title" gin_trgm_ops);
CREATE INDEX "issues_description_trgm" ON "issues" USING gin ("description" gin_trgm_ops);

-- Issue counts of a project, kept with every change so that totals need no scan.
CREATE FUNCTION "count_issue"("project" integer, "issue_state" "issue_state", "secret" boolean, "step" integer)
RETURNS void LANGUAGE sql AS $$
  UPDATE "project_counters" SET
    "opened" = "opened" + CASE WHEN "issue_state" = 'opened' THEN "step" ELSE 0 END,
    "closed" = "closed" + CASE WHEN "issue_state" = 'closed' THEN "step" ELSE 0 END,
    "opened_confidential" = "opened_confidential" + CASE WHEN "issue_state" = 'opened' AND "secret" THEN "step" ELSE 0 END,
    "closed_confidential" = "closed_confidential" + CASE WHEN "issue_state" = 'closed' AND "secret" THEN "step" ELSE 0 END
  WHERE "project_id" = "project";
$$;

CREATE FUNCTION "count_issue_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    IF OLD.deleted_at IS NULL THEN PERFORM count_issue(OLD.project_id, OLD.state, OLD.confidential, -1); END IF;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF NEW.deleted_at IS NULL THEN PERFORM count_issue(NEW.project_id, NEW.state, NEW.confidential, 1); END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "issues_count_rows" AFTER INSERT OR DELETE ON "issues"
  FOR EACH ROW EXECUTE FUNCTION "count_issue_change"();
CREATE TRIGGER "issues_count_changes" AFTER UPDATE OF "state", "confidential", "deleted_at", "project_id" ON "issues"
  FOR EACH ROW
  WHEN ((OLD.state, OLD.confidential, OLD.project_id) IS DISTINCT FROM (NEW.state, NEW.confidential, NEW.project_id)
    OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION "count_issue_change"();

-- A project always has its counters.
CREATE FUNCTION "add_project_counters"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "project_counters" ("project_id") VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER "projects_counters" AFTER INSERT ON "projects" FOR EACH ROW EXECUTE FUNCTION "add_project_counters"();
