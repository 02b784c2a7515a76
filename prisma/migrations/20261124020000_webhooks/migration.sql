-- CreateTable
CREATE TABLE "hooks" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER,
    "namespace_id" INTEGER,
    "url" TEXT NOT NULL,
    "token_encrypted" BYTEA,
    "push_events" BOOLEAN NOT NULL DEFAULT true,
    "tag_push_events" BOOLEAN NOT NULL DEFAULT false,
    "issues_events" BOOLEAN NOT NULL DEFAULT false,
    "confidential_issues_events" BOOLEAN NOT NULL DEFAULT false,
    "merge_requests_events" BOOLEAN NOT NULL DEFAULT false,
    "note_events" BOOLEAN NOT NULL DEFAULT false,
    "job_events" BOOLEAN NOT NULL DEFAULT false,
    "pipeline_events" BOOLEAN NOT NULL DEFAULT false,
    "wiki_page_events" BOOLEAN NOT NULL DEFAULT false,
    "enable_ssl_verification" BOOLEAN NOT NULL DEFAULT true,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "retry_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "dropped" INTEGER NOT NULL DEFAULT 0,
    "leased_by" UUID,
    "leased_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "hook_events" (
    "id" SERIAL NOT NULL,
    "key" UUID NOT NULL DEFAULT gen_random_uuid(),
    "kind" TEXT NOT NULL,
    "project_id" INTEGER,
    "facts" JSONB NOT NULL,
    "payload" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hook_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "hook_deliveries" (
    "id" SERIAL NOT NULL,
    "hook_id" INTEGER NOT NULL,
    "event_id" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "first_attempt_at" TIMESTAMPTZ(3),
    "attempted_at" TIMESTAMPTZ(3),
    "request_headers" JSONB,
    "response_status" INTEGER,
    "response_headers" JSONB,
    "response_body" TEXT,
    "error" TEXT,
    "duration" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "hooks_project_id_id_idx" ON "hooks"("project_id", "id");

-- CreateIndex
CREATE INDEX "hooks_namespace_id_id_idx" ON "hooks"("namespace_id", "id");

-- CreateIndex
CREATE INDEX "hook_events_project_id_idx" ON "hook_events"("project_id");

-- CreateIndex
CREATE INDEX "hook_events_created_at_idx" ON "hook_events"("created_at");

-- CreateIndex
CREATE INDEX "hook_deliveries_hook_id_id_idx" ON "hook_deliveries"("hook_id", "id");

-- CreateIndex
CREATE INDEX "hook_deliveries_event_id_idx" ON "hook_deliveries"("event_id");

-- AddForeignKey
ALTER TABLE "hooks" ADD CONSTRAINT "hooks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hooks" ADD CONSTRAINT "hooks_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hook_deliveries" ADD CONSTRAINT "hook_deliveries_hook_id_fkey" FOREIGN KEY ("hook_id") REFERENCES "hooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hook_deliveries" ADD CONSTRAINT "hook_deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "hook_events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A hook belongs to a project, to a group, or to the whole server.
ALTER TABLE "hooks" ADD CONSTRAINT "hooks_one_place" CHECK ("project_id" IS NULL OR "namespace_id" IS NULL);

CREATE INDEX "hooks_of_server" ON "hooks" ("id") WHERE "project_id" IS NULL AND "namespace_id" IS NULL;
CREATE INDEX "hook_deliveries_waiting" ON "hook_deliveries" ("hook_id", "id") WHERE "state" = 'waiting';

-- Processes keep in memory what any hook wants, and forget it when that may have changed.
CREATE FUNCTION "tell_hook_kinds"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gantry_hook_kinds', '');
  RETURN NULL;
END $$;

CREATE TRIGGER "hooks_tell_kinds" AFTER INSERT OR DELETE OR UPDATE OF "issues_events", "confidential_issues_events",
  "merge_requests_events", "note_events", "disabled_at" ON "hooks" FOR EACH STATEMENT EXECUTE FUNCTION "tell_hook_kinds"();

-- The hooks that want to hear of something: those of the project and of the groups around it, and those of the server. Kinds that
-- the CASE does not name are events of the server.
CREATE FUNCTION "hooks_for"(kind text, project int) RETURNS SETOF int LANGUAGE sql STABLE AS $$
  SELECT h."id" FROM "hooks" h
    WHERE h."disabled_at" IS NULL AND CASE kind
      WHEN 'push' THEN h."push_events" WHEN 'tag_push' THEN h."tag_push_events" WHEN 'issue' THEN h."issues_events"
      WHEN 'confidential_issue' THEN h."confidential_issues_events" WHEN 'merge_request' THEN h."merge_requests_events"
      WHEN 'note' THEN h."note_events" WHEN 'confidential_note' THEN h."note_events" AND h."confidential_issues_events"
      WHEN 'job' THEN h."job_events" WHEN 'pipeline' THEN h."pipeline_events" ELSE false END
      AND (h."project_id" = project OR h."namespace_id" IN (
        SELECT unnest(n."lineage") FROM "projects" p JOIN "namespaces" n ON n."id" = p."namespace_id" WHERE p."id" = project))
  UNION ALL
  SELECT h."id" FROM "hooks" h
    WHERE h."project_id" IS NULL AND h."namespace_id" IS NULL AND h."disabled_at" IS NULL AND CASE
      WHEN kind = 'push' THEN h."push_events" WHEN kind = 'tag_push' THEN h."tag_push_events"
      ELSE kind NOT IN ('issue', 'confidential_issue', 'merge_request', 'note', 'confidential_note', 'job', 'pipeline') END
$$;

-- Leaves a delivery for each hook that wants to hear of the event, and wakes who delivers when the transaction commits.
CREATE FUNCTION "record_hook_event"(kind text, project int, facts jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  told int[];
  event int;
BEGIN
  -- The locks keep hooks from going before their deliveries are there.
  SELECT array_agg(h."id") INTO told FROM (
    SELECT "id" FROM "hooks" WHERE "id" IN (SELECT "hooks_for"(kind, project)) ORDER BY "id" FOR KEY SHARE) h;
  IF told IS NULL THEN RETURN; END IF;
  INSERT INTO "hook_events" ("kind", "project_id", "facts") VALUES (kind, project, facts) RETURNING "id" INTO event;
  INSERT INTO "hook_deliveries" ("hook_id", "event_id") SELECT unnest(told), event;
  PERFORM pg_notify('gantry_hook_deliveries', CASE WHEN cardinality(told) <= 500 THEN array_to_string(told, ' ') ELSE '' END);
END $$;

-- What payloads say of users, projects, jobs and pipelines. NULL for what is not there.
CREATE FUNCTION "hook_user"(user_id int) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', u."id", 'name', u."name", 'username', u."username", 'email', u."email", 'avatarKey', u."avatar_key",
    'createdAt', u."created_at", 'updatedAt', u."updated_at") FROM "users" u WHERE u."id" = user_id
$$;

CREATE FUNCTION "hook_project"(project int) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', p."id", 'name', p."name", 'description', p."description", 'path', p."path",
    'fullPath', n."full_path" || '/' || p."path", 'namespace', n."name", 'visibility', p."visibility",
    'defaultBranch', p."default_branch", 'ownerName', COALESCE(o."name", n."name"), 'ownerEmail', COALESCE(o."email", ''),
    'createdAt', p."created_at", 'updatedAt', p."updated_at")
  FROM "projects" p JOIN "namespaces" n ON n."id" = p."namespace_id" LEFT JOIN "users" o ON o."id" = n."owner_id"
  WHERE p."id" = project
$$;

CREATE FUNCTION "hook_job"(j "jobs") RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', j."id", 'name', j."name", 'stage', j."stage", 'stageIndex', j."stage_index", 'status', j."status",
    'allowFailure', j."allow_failure", 'when', j."when", 'createdAt', j."created_at", 'startedAt', j."started_at",
    'finishedAt', j."finished_at", 'runnerId', j."runner_id", 'artifactsFilename', j."artifacts_filename",
    'artifactsSize', j."artifacts_size", 'user', "hook_user"(j."user_id"))
$$;

CREATE FUNCTION "hook_pipeline"(p "pipelines") RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', p."id", 'ref', p."ref", 'tag', p."tag", 'sha', p."sha", 'beforeSha', p."before_sha",
    'status', p."status", 'createdAt', p."created_at", 'startedAt', p."started_at", 'finishedAt', p."finished_at",
    'duration', p."duration", 'user', "hook_user"(p."user_id"))
$$;

-- Pushes: their events hold what was pushed. A push may bring thousands of refs: what hooks want is asked once.
CREATE FUNCTION "tell_hooks_of_pushes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM "hooks" WHERE "disabled_at" IS NULL AND ("push_events" OR "tag_push_events")) THEN RETURN NULL; END IF;
  PERFORM "record_hook_event"(e."kind", e."project_id", jsonb_build_object(
      'push', e."data", 'project', "hook_project"(e."project_id"), 'user', "hook_user"(e."author_id")))
    FROM (SELECT m.*, m."data" ->> 'object_kind' AS "kind" FROM "made" m
      WHERE m."data" IS NOT NULL AND m."project_id" IS NOT NULL ORDER BY m."id") e
    WHERE e."kind" IN ('push', 'tag_push') AND EXISTS (SELECT 1 FROM "hooks_for"(e."kind", e."project_id"));
  RETURN NULL;
END $$;

CREATE TRIGGER "events_tell_hooks" AFTER INSERT ON "events" REFERENCING NEW TABLE AS "made" FOR EACH STATEMENT
  EXECUTE FUNCTION "tell_hooks_of_pushes"();

-- Jobs whenever their status is another one; statuses that others posted are none of ours.
CREATE FUNCTION "tell_hooks_of_job"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "hooks_for"('job', NEW."project_id")) THEN
    PERFORM "record_hook_event"('job', NEW."project_id", jsonb_build_object('job', "hook_job"(NEW),
      'pipeline', "hook_pipeline"(p), 'project', "hook_project"(NEW."project_id")))
    FROM "pipelines" p WHERE p."id" = NEW."pipeline_id";
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "jobs_tell_hooks" AFTER INSERT ON "jobs" FOR EACH ROW
  WHEN (NOT NEW."generic") EXECUTE FUNCTION "tell_hooks_of_job"();
CREATE TRIGGER "jobs_tell_hooks_of_status" AFTER UPDATE OF "status" ON "jobs" FOR EACH ROW
  WHEN (NOT NEW."generic" AND OLD."status" <> NEW."status") EXECUTE FUNCTION "tell_hooks_of_job"();

CREATE FUNCTION "tell_hooks_of_pipeline"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "hooks_for"('pipeline', NEW."project_id")) THEN
    -- Of a new pipeline it is told at the end of the transaction, with its jobs, unless that changed its status and told of that.
    PERFORM "record_hook_event"('pipeline', NEW."project_id", jsonb_build_object('pipeline', "hook_pipeline"(p),
      'project', "hook_project"(p."project_id"), 'jobs', (SELECT COALESCE(jsonb_agg("hook_job"(j) ORDER BY j."stage_index", j."id"), '[]')
        FROM "jobs" j WHERE j."pipeline_id" = p."id" AND NOT j."retried" AND NOT j."generic")))
    FROM "pipelines" p WHERE p."id" = NEW."id" AND p."status" = NEW."status";
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER "pipelines_tell_hooks" AFTER INSERT ON "pipelines" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION "tell_hooks_of_pipeline"();
CREATE TRIGGER "pipelines_tell_hooks_of_status" AFTER UPDATE OF "status" ON "pipelines" FOR EACH ROW
  WHEN (OLD."status" <> NEW."status") EXECUTE FUNCTION "tell_hooks_of_pipeline"();

-- The events of the server.
CREATE FUNCTION "tell_hooks_of_user"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM "hooks_for"('user_create', NULL)) THEN RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; END IF;
  IF TG_OP = 'INSERT' THEN
    PERFORM "record_hook_event"('user_create', NULL, jsonb_build_object('user', "hook_user"(NEW."id")));
    RETURN NEW;
  ELSIF TG_OP = 'UPDATE' THEN
    PERFORM "record_hook_event"('user_rename', NULL,
      jsonb_build_object('user', "hook_user"(NEW."id"), 'oldUsername', OLD."username"));
    RETURN NEW;
  END IF;
  -- What goes with the user is told of first: later nobody knows whose it was.
  PERFORM "record_hook_event"('key_destroy', NULL,
      jsonb_build_object('user', "hook_user"(OLD."id"), 'key', jsonb_build_object('id', k."id", 'key', k."key", 'createdAt', k."created_at")))
    FROM "ssh_keys" k WHERE k."user_id" = OLD."id" ORDER BY k."id";
  PERFORM "record_hook_event"(CASE WHEN m."project_id" IS NULL THEN 'user_remove_from_group' ELSE 'user_remove_from_team' END, NULL,
      "hook_member"(m)) FROM "members" m WHERE m."user_id" = OLD."id" AND "hook_member"(m) IS NOT NULL ORDER BY m."id";
  PERFORM "record_hook_event"('user_destroy', NULL, jsonb_build_object('user', "hook_user"(OLD."id")));
  RETURN OLD;
END $$;

-- NULL where the user, or what they are a member of, is gone.
CREATE FUNCTION "hook_member"(m "members") RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('user', "hook_user"(u."id"), 'accessLevel', m."access_level", 'createdAt', m."created_at",
    'project', "hook_project"(p."id"), 'group', CASE WHEN n."id" IS NOT NULL THEN
      jsonb_build_object('id', n."id", 'name', n."name", 'path', n."path", 'fullPath', n."full_path") END)
  FROM "users" u LEFT JOIN "projects" p ON p."id" = m."project_id" AND p."deleted_at" IS NULL
    LEFT JOIN "namespaces" n ON n."id" = m."namespace_id" AND n."deleted_at" IS NULL
  WHERE u."id" = m."user_id" AND (p."id" IS NOT NULL OR n."id" IS NOT NULL)
$$;

CREATE TRIGGER "users_tell_hooks" AFTER INSERT ON "users" FOR EACH ROW
  WHEN (NOT NEW."ghost") EXECUTE FUNCTION "tell_hooks_of_user"();
CREATE TRIGGER "users_tell_hooks_of_name" AFTER UPDATE OF "username" ON "users" FOR EACH ROW
  WHEN (OLD."username" <> NEW."username") EXECUTE FUNCTION "tell_hooks_of_user"();
CREATE TRIGGER "users_tell_hooks_of_end" BEFORE DELETE ON "users" FOR EACH ROW
  WHEN (NOT OLD."ghost") EXECUTE FUNCTION "tell_hooks_of_user"();

CREATE FUNCTION "tell_hooks_of_key"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  k "ssh_keys" := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF EXISTS (SELECT 1 FROM "hooks_for"('key_create', NULL)) AND "hook_user"(k."user_id") IS NOT NULL THEN
    PERFORM "record_hook_event"(CASE TG_OP WHEN 'DELETE' THEN 'key_destroy' ELSE 'key_create' END, NULL, jsonb_build_object(
      'user', "hook_user"(k."user_id"), 'key', jsonb_build_object('id', k."id", 'key', k."key", 'createdAt', k."created_at")));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "ssh_keys_tell_hooks" AFTER INSERT OR DELETE ON "ssh_keys" FOR EACH ROW EXECUTE FUNCTION "tell_hooks_of_key"();

CREATE FUNCTION "tell_hooks_of_group"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "hooks_for"('group_create', NULL)) THEN
    PERFORM "record_hook_event"(CASE TG_OP WHEN 'INSERT' THEN 'group_create' ELSE 'group_destroy' END, NULL, jsonb_build_object(
      'group', jsonb_build_object('id', NEW."id", 'name', NEW."name", 'path', NEW."path", 'fullPath', NEW."full_path",
        'createdAt', NEW."created_at", 'updatedAt', NEW."updated_at")));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "namespaces_tell_hooks" AFTER INSERT ON "namespaces" FOR EACH ROW
  WHEN (NEW."kind" = 'group') EXECUTE FUNCTION "tell_hooks_of_group"();
CREATE TRIGGER "namespaces_tell_hooks_of_end" AFTER UPDATE OF "deleted_at" ON "namespaces" FOR EACH ROW
  WHEN (NEW."kind" = 'group' AND OLD."deleted_at" IS NULL AND NEW."deleted_at" IS NOT NULL) EXECUTE FUNCTION "tell_hooks_of_group"();

CREATE FUNCTION "tell_hooks_of_project"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := 'project_create';
  old_path text;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM "hooks_for"('project_create', NULL)) THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' THEN
    IF NEW."deleted_at" IS NOT NULL THEN
      IF OLD."deleted_at" IS NOT NULL THEN RETURN NULL; END IF;
      kind := 'project_destroy';
    ELSIF NEW."namespace_id" <> OLD."namespace_id" THEN kind := 'project_transfer';
    ELSIF NEW."path" <> OLD."path" THEN kind := 'project_rename';
    ELSIF ROW (NEW."name", NEW."description", NEW."visibility", NEW."archived", NEW."issues_enabled", NEW."merge_requests_enabled",
        NEW."wiki_enabled", NEW."jobs_enabled", NEW."snippets_enabled", NEW."tag_list")
      IS DISTINCT FROM ROW (OLD."name", OLD."description", OLD."visibility", OLD."archived", OLD."issues_enabled",
        OLD."merge_requests_enabled", OLD."wiki_enabled", OLD."jobs_enabled", OLD."snippets_enabled", OLD."tag_list")
    THEN kind := 'project_update';
    ELSE RETURN NULL;
    END IF;
    SELECT n."full_path" || '/' || OLD."path" INTO old_path FROM "namespaces" n WHERE n."id" = OLD."namespace_id";
  END IF;
  PERFORM "record_hook_event"(kind, NULL, jsonb_build_object('project', "hook_project"(NEW."id"), 'oldPath', old_path));
  RETURN NULL;
END $$;

CREATE TRIGGER "projects_tell_hooks" AFTER INSERT ON "projects" FOR EACH ROW EXECUTE FUNCTION "tell_hooks_of_project"();
CREATE TRIGGER "projects_tell_hooks_of_change" AFTER UPDATE OF "deleted_at", "namespace_id", "path", "name", "description", "visibility",
    "archived", "issues_enabled", "merge_requests_enabled", "wiki_enabled", "jobs_enabled", "snippets_enabled", "tag_list"
  ON "projects" FOR EACH ROW EXECUTE FUNCTION "tell_hooks_of_project"();

CREATE FUNCTION "tell_hooks_of_member"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  m "members" := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF EXISTS (SELECT 1 FROM "hooks_for"('user_add_to_team', NULL)) AND "hook_member"(m) IS NOT NULL THEN
    PERFORM "record_hook_event"(CASE TG_OP WHEN 'DELETE' THEN 'user_remove_from_' ELSE 'user_add_to_' END
      || CASE WHEN m."project_id" IS NULL THEN 'group' ELSE 'team' END, NULL, "hook_member"(m));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "members_tell_hooks" AFTER INSERT OR DELETE ON "members" FOR EACH ROW EXECUTE FUNCTION "tell_hooks_of_member"();
-- A membership that comes in the place of one that has expired.
CREATE TRIGGER "members_tell_hooks_anew" AFTER UPDATE OF "created_at" ON "members" FOR EACH ROW
  WHEN (OLD."created_at" <> NEW."created_at") EXECUTE FUNCTION "tell_hooks_of_member"();
