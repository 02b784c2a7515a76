-- Rules for pushes. Servers of the version before do not know them and let everything in.
CREATE TABLE "push_rules" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER,
    "group_id" INTEGER,
    "commit_message_regex" TEXT NOT NULL DEFAULT '',
    "commit_message_negative_regex" TEXT NOT NULL DEFAULT '',
    "branch_name_regex" TEXT NOT NULL DEFAULT '',
    "author_email_regex" TEXT NOT NULL DEFAULT '',
    "file_name_regex" TEXT NOT NULL DEFAULT '',
    "max_file_size" INTEGER NOT NULL DEFAULT 0,
    "deny_delete_tag" BOOLEAN NOT NULL DEFAULT false,
    "member_check" BOOLEAN NOT NULL DEFAULT false,
    "prevent_secrets" BOOLEAN NOT NULL DEFAULT false,
    "commit_committer_check" BOOLEAN NOT NULL DEFAULT false,
    "commit_committer_name_check" BOOLEAN NOT NULL DEFAULT false,
    "reject_unsigned_commits" BOOLEAN NOT NULL DEFAULT false,
    "reject_non_dco_commits" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_rules_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "push_rules_place" CHECK (("project_id" IS NULL) <> ("group_id" IS NULL))
);

CREATE UNIQUE INDEX "push_rules_project_id_key" ON "push_rules"("project_id");

CREATE UNIQUE INDEX "push_rules_group_id_key" ON "push_rules"("group_id");

ALTER TABLE "push_rules" ADD CONSTRAINT "push_rules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "push_rules" ADD CONSTRAINT "push_rules_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
