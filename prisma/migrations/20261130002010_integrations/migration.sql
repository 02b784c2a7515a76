-- AlterTable
ALTER TABLE "hooks" ADD COLUMN     "deployment_events" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "integration_id" INTEGER;

-- CreateTable
CREATE TABLE "integrations" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER,
    "group_id" INTEGER,
    "slug" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "events" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "properties" JSONB NOT NULL DEFAULT '{}',
    "secret_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "secrets_encrypted" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "integrations_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "integrations_one_place" CHECK ("project_id" IS NULL OR "group_id" IS NULL)
);

-- CreateIndex
CREATE UNIQUE INDEX "integrations_project_id_slug_key" ON "integrations"("project_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "integrations_group_id_slug_key" ON "integrations"("group_id", "slug");

-- The server has one of each kind.
CREATE UNIQUE INDEX "integrations_server_slug" ON "integrations" ("slug") WHERE "project_id" IS NULL AND "group_id" IS NULL;

-- CreateIndex
CREATE UNIQUE INDEX "hooks_integration_id_key" ON "hooks"("integration_id");

-- AddForeignKey
ALTER TABLE "integrations" ADD CONSTRAINT "integrations_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "integrations" ADD CONSTRAINT "integrations_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hooks" ADD CONSTRAINT "hooks_integration_id_fkey" FOREIGN KEY ("integration_id") REFERENCES "integrations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The integrations that count for a project, one of each kind: its own, else that of the innermost group with one, else that of the
-- server. Inactive ones, too: they stand for "none of this kind".
CREATE FUNCTION "integrations_of"(project int) RETURNS SETOF "integrations" LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (i."slug") i.* FROM "projects" p JOIN "namespaces" n ON n."id" = p."namespace_id"
    JOIN "integrations" i ON i."project_id" = p."id" OR i."group_id" = ANY(n."lineage")
      OR (i."project_id" IS NULL AND i."group_id" IS NULL)
    WHERE p."id" = project
    ORDER BY i."slug", i."project_id" IS NULL, array_position(n."lineage", i."group_id") DESC NULLS LAST
$$;

-- Whether a hook has the switch for events of a kind in projects on.
CREATE FUNCTION "hook_wants"(h "hooks", kind text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind
    WHEN 'push' THEN h."push_events" WHEN 'tag_push' THEN h."tag_push_events" WHEN 'issue' THEN h."issues_events"
    WHEN 'confidential_issue' THEN h."confidential_issues_events" WHEN 'merge_request' THEN h."merge_requests_events"
    WHEN 'note' THEN h."note_events" WHEN 'confidential_note' THEN
      COALESCE(h."confidential_note_events", h."note_events" AND h."confidential_issues_events")
    WHEN 'job' THEN h."job_events" WHEN 'pipeline' THEN h."pipeline_events"
    WHEN 'release' THEN h."releases_events" WHEN 'wiki_page' THEN h."wiki_page_events"
    WHEN 'deployment' THEN h."deployment_events" WHEN 'feature_flag' THEN h."feature_flag_events" ELSE false END
$$;

-- The hooks of integrations are told of what happens in the projects that the integrations count for.
CREATE OR REPLACE FUNCTION "hooks_for"(kind text, project int) RETURNS SETOF int LANGUAGE sql STABLE AS $$
  SELECT h."id" FROM "hooks" h
    WHERE h."disabled_at" IS NULL AND h."integration_id" IS NULL AND "hook_wants"(h, kind)
      AND (h."project_id" = project OR h."namespace_id" IN (
        SELECT unnest(n."lineage") FROM "projects" p JOIN "namespaces" n ON n."id" = p."namespace_id" WHERE p."id" = project))
  UNION ALL
  SELECT h."id" FROM "hooks" h
    WHERE h."project_id" IS NULL AND h."namespace_id" IS NULL AND h."integration_id" IS NULL AND h."disabled_at" IS NULL AND CASE
      WHEN kind = 'push' THEN h."push_events" WHEN kind = 'tag_push' THEN h."tag_push_events"
      ELSE kind NOT IN ('issue', 'confidential_issue', 'merge_request', 'note', 'confidential_note', 'job', 'pipeline', 'release',
        'wiki_page', 'deployment', 'feature_flag') END
  UNION ALL
  SELECT h."id" FROM "integrations_of"(project) i JOIN "hooks" h ON h."integration_id" = i."id"
    WHERE i."active" AND h."disabled_at" IS NULL AND "hook_wants"(h, kind)
$$;

DROP TRIGGER "hooks_tell_kinds" ON "hooks";
CREATE TRIGGER "hooks_tell_kinds" AFTER INSERT OR DELETE OR UPDATE OF "issues_events", "confidential_issues_events",
  "merge_requests_events", "note_events", "confidential_note_events", "releases_events", "wiki_page_events", "feature_flag_events",
  "disabled_at" ON "hooks"
  FOR EACH STATEMENT EXECUTE FUNCTION "tell_hook_kinds"();

-- Deployments whenever their status is another one.
CREATE FUNCTION "tell_hooks_of_deployment"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "hooks_for"('deployment', NEW."project_id")) THEN
    PERFORM "record_hook_event"('deployment', NEW."project_id", jsonb_build_object('deployment', to_jsonb(NEW),
      'environment', to_jsonb(e), 'project', "hook_project"(NEW."project_id"), 'user', "hook_user"(NEW."user_id")))
    FROM "environments" e WHERE e."id" = NEW."environment_id";
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "deployments_tell_hooks" AFTER INSERT ON "deployments" FOR EACH ROW EXECUTE FUNCTION "tell_hooks_of_deployment"();
CREATE TRIGGER "deployments_tell_hooks_of_status" AFTER UPDATE OF "status" ON "deployments" FOR EACH ROW
  WHEN (OLD."status" <> NEW."status") EXECUTE FUNCTION "tell_hooks_of_deployment"();

-- Like integrations_of, for a group; for the server where it is NULL.
CREATE FUNCTION "integrations_of_group"(of_group int) RETURNS SETOF "integrations" LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (i."slug") i.* FROM "integrations" i LEFT JOIN "namespaces" n ON n."id" = of_group
    WHERE i."group_id" = ANY(n."lineage") OR (i."project_id" IS NULL AND i."group_id" IS NULL)
    ORDER BY i."slug", array_position(n."lineage", i."group_id") DESC NULLS LAST
$$;
