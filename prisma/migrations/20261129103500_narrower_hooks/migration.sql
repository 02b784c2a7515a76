-- AlterTable
ALTER TABLE "hooks" ADD COLUMN "name" TEXT,
  ADD COLUMN "description" TEXT,
  ADD COLUMN "push_events_branch_filter" TEXT,
  ADD COLUMN "branch_filter_strategy" TEXT NOT NULL DEFAULT 'wildcard',
  ADD COLUMN "confidential_note_events" BOOLEAN,
  ADD COLUMN "custom_header_names" TEXT[] NOT NULL DEFAULT '{}',
  ADD COLUMN "custom_headers_encrypted" BYTEA;

-- Whether a hook is told of pushes to a branch. A filter was matched once before it was saved, so that a push never fails for it.
CREATE FUNCTION "hook_wants_branch"(strategy text, filter text, branch text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN strategy = 'all_branches' OR filter IS NULL OR filter = '' THEN true
    WHEN strategy = 'regex' THEN branch ~ filter
    ELSE branch LIKE replace(replace(replace(replace(filter, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%')
  END
$$;

-- Notes on what not everybody sees have a switch of their own, which follows that of confidential issues until it is set.
CREATE OR REPLACE FUNCTION "hooks_for"(kind text, project int) RETURNS SETOF int LANGUAGE sql STABLE AS $$
  SELECT h."id" FROM "hooks" h
    WHERE h."disabled_at" IS NULL AND CASE kind
      WHEN 'push' THEN h."push_events" WHEN 'tag_push' THEN h."tag_push_events" WHEN 'issue' THEN h."issues_events"
      WHEN 'confidential_issue' THEN h."confidential_issues_events" WHEN 'merge_request' THEN h."merge_requests_events"
      WHEN 'note' THEN h."note_events" WHEN 'confidential_note' THEN
        COALESCE(h."confidential_note_events", h."note_events" AND h."confidential_issues_events")
      WHEN 'job' THEN h."job_events" WHEN 'pipeline' THEN h."pipeline_events"
      WHEN 'release' THEN h."releases_events" WHEN 'wiki_page' THEN h."wiki_page_events" ELSE false END
      AND (h."project_id" = project OR h."namespace_id" IN (
        SELECT unnest(n."lineage") FROM "projects" p JOIN "namespaces" n ON n."id" = p."namespace_id" WHERE p."id" = project))
  UNION ALL
  SELECT h."id" FROM "hooks" h
    WHERE h."project_id" IS NULL AND h."namespace_id" IS NULL AND h."disabled_at" IS NULL AND CASE
      WHEN kind = 'push' THEN h."push_events" WHEN kind = 'tag_push' THEN h."tag_push_events"
      ELSE kind NOT IN ('issue', 'confidential_issue', 'merge_request', 'note', 'confidential_note', 'job', 'pipeline', 'release',
        'wiki_page') END
$$;

CREATE OR REPLACE FUNCTION "record_hook_event"(kind text, project int, facts jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  told int[];
  event int;
  branch text := CASE WHEN kind = 'push' THEN regexp_replace(facts -> 'push' ->> 'ref', '^refs/heads/', '') END;
BEGIN
  -- The locks keep hooks from going before their deliveries are there.
  SELECT array_agg(h."id") INTO told FROM (
    SELECT o."id" FROM "hooks" o WHERE o."id" IN (SELECT "hooks_for"(kind, project))
      AND (branch IS NULL OR "hook_wants_branch"(o."branch_filter_strategy", o."push_events_branch_filter", branch))
    ORDER BY o."id" FOR KEY SHARE) h;
  IF told IS NULL THEN RETURN; END IF;
  INSERT INTO "hook_events" ("kind", "project_id", "facts") VALUES (kind, project, facts) RETURNING "id" INTO event;
  INSERT INTO "hook_deliveries" ("hook_id", "event_id") SELECT unnest(told), event;
  PERFORM pg_notify('gantry_hook_deliveries', CASE WHEN cardinality(told) <= 500 THEN array_to_string(told, ' ') ELSE '' END);
END $$;

-- The switch for such notes is among what processes keep in memory.
DROP TRIGGER "hooks_tell_kinds" ON "hooks";
CREATE TRIGGER "hooks_tell_kinds" AFTER INSERT OR DELETE OR UPDATE OF "issues_events", "confidential_issues_events",
  "merge_requests_events", "note_events", "confidential_note_events", "releases_events", "wiki_page_events", "disabled_at" ON "hooks"
  FOR EACH STATEMENT EXECUTE FUNCTION "tell_hook_kinds"();
