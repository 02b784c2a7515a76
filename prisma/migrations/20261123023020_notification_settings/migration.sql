-- Of what users want mail: globally, in groups and in projects. Without a row the default holds.
CREATE TYPE "notification_level" AS ENUM ('disabled', 'participating', 'watch', 'global', 'mention', 'custom');

CREATE TABLE "notification_settings" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "project_id" INTEGER,
    "namespace_id" INTEGER,
    "level" "notification_level" NOT NULL,
    "new_note" BOOLEAN NOT NULL DEFAULT false,
    "new_issue" BOOLEAN NOT NULL DEFAULT false,
    "reopen_issue" BOOLEAN NOT NULL DEFAULT false,
    "close_issue" BOOLEAN NOT NULL DEFAULT false,
    "reassign_issue" BOOLEAN NOT NULL DEFAULT false,
    "new_merge_request" BOOLEAN NOT NULL DEFAULT false,
    "reopen_merge_request" BOOLEAN NOT NULL DEFAULT false,
    "close_merge_request" BOOLEAN NOT NULL DEFAULT false,
    "reassign_merge_request" BOOLEAN NOT NULL DEFAULT false,
    "merge_merge_request" BOOLEAN NOT NULL DEFAULT false,
    "failed_pipeline" BOOLEAN NOT NULL DEFAULT false,
    "success_pipeline" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "notification_settings_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notification_settings_place" CHECK (num_nonnulls("project_id", "namespace_id") <= 1)
);

CREATE UNIQUE INDEX "notification_settings_user_id_project_id_key" ON "notification_settings"("user_id", "project_id");
CREATE UNIQUE INDEX "notification_settings_user_id_namespace_id_key" ON "notification_settings"("user_id", "namespace_id");
CREATE UNIQUE INDEX "notification_settings_global" ON "notification_settings"("user_id")
    WHERE "project_id" IS NULL AND "namespace_id" IS NULL;
CREATE INDEX "notification_settings_project_id_idx" ON "notification_settings"("project_id");
CREATE INDEX "notification_settings_namespace_id_idx" ON "notification_settings"("namespace_id");

ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_project_id_fkey"
    FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_namespace_id_fkey"
    FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Where the mail goes: to a secondary address, or without one to the primary address.
ALTER TABLE "users" ADD COLUMN "notification_email_id" INTEGER;
CREATE INDEX "users_notification_email_id_idx" ON "users"("notification_email_id");
ALTER TABLE "users" ADD CONSTRAINT "users_notification_email_id_fkey" FOREIGN KEY ("notification_email_id")
    REFERENCES "emails"("id") ON DELETE SET NULL ON UPDATE CASCADE;
