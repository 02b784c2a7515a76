-- The names of features are those of src/access/permissions/features.ts.
ALTER TABLE "projects" DROP CONSTRAINT "projects_members_only";
ALTER TABLE "projects" ADD CONSTRAINT "projects_members_only" CHECK ("members_only" <@
  ARRAY['issues', 'mergeRequests', 'repository', 'jobs', 'wiki', 'snippets', 'containerRegistry', 'featureFlags']::TEXT[]);

-- Webhooks are told of flags that are turned on or off.
CREATE OR REPLACE FUNCTION "hooks_for"(kind text, project int) RETURNS SETOF int LANGUAGE sql STABLE AS $$
  SELECT h."id" FROM "hooks" h
    WHERE h."disabled_at" IS NULL AND CASE kind
      WHEN 'push' THEN h."push_events" WHEN 'tag_push' THEN h."tag_push_events" WHEN 'issue' THEN h."issues_events"
      WHEN 'confidential_issue' THEN h."confidential_issues_events" WHEN 'merge_request' THEN h."merge_requests_events"
      WHEN 'note' THEN h."note_events" WHEN 'confidential_note' THEN
        COALESCE(h."confidential_note_events", h."note_events" AND h."confidential_issues_events")
      WHEN 'job' THEN h."job_events" WHEN 'pipeline' THEN h."pipeline_events"
      WHEN 'release' THEN h."releases_events" WHEN 'wiki_page' THEN h."wiki_page_events"
      WHEN 'feature_flag' THEN h."feature_flag_events" ELSE false END
      AND (h."project_id" = project OR h."namespace_id" IN (
        SELECT unnest(n."lineage") FROM "projects" p JOIN "namespaces" n ON n."id" = p."namespace_id" WHERE p."id" = project))
  UNION ALL
  SELECT h."id" FROM "hooks" h
    WHERE h."project_id" IS NULL AND h."namespace_id" IS NULL AND h."disabled_at" IS NULL AND CASE
      WHEN kind = 'push' THEN h."push_events" WHEN kind = 'tag_push' THEN h."tag_push_events"
      ELSE kind NOT IN ('issue', 'confidential_issue', 'merge_request', 'note', 'confidential_note', 'job', 'pipeline', 'release',
        'wiki_page', 'feature_flag') END
$$;

DROP TRIGGER "hooks_tell_kinds" ON "hooks";
CREATE TRIGGER "hooks_tell_kinds" AFTER INSERT OR DELETE OR UPDATE OF "issues_events", "confidential_issues_events",
  "merge_requests_events", "note_events", "confidential_note_events", "releases_events", "wiki_page_events", "feature_flag_events",
  "disabled_at" ON "hooks"
  FOR EACH STATEMENT EXECUTE FUNCTION "tell_hook_kinds"();

-- Tells subscribers of flags. A flag changes with its strategies, their scopes, and the user lists that they name.
CREATE TRIGGER "feature_flags_tell" AFTER INSERT OR UPDATE OR DELETE ON "feature_flags"
  FOR EACH ROW EXECUTE FUNCTION "tell_owned_record"('feature_flag');

CREATE FUNCTION "tell_feature_flag_strategy"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_owned"('feature_flag', f."id", f."project_id", NULL) FROM "feature_flags" f
    WHERE f."id" = CASE WHEN TG_OP = 'DELETE' THEN OLD."feature_flag_id" ELSE NEW."feature_flag_id" END;
  RETURN NULL;
END $$;

CREATE TRIGGER "feature_flag_strategies_tell" AFTER INSERT OR UPDATE OR DELETE ON "feature_flag_strategies"
  FOR EACH ROW EXECUTE FUNCTION "tell_feature_flag_strategy"();

CREATE FUNCTION "tell_feature_flag_scope"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_owned"('feature_flag', f."id", f."project_id", NULL)
    FROM "feature_flag_strategies" s JOIN "feature_flags" f ON f."id" = s."feature_flag_id"
    WHERE s."id" = CASE WHEN TG_OP = 'DELETE' THEN OLD."strategy_id" ELSE NEW."strategy_id" END;
  RETURN NULL;
END $$;

CREATE TRIGGER "feature_flag_scopes_tell" AFTER INSERT OR UPDATE OR DELETE ON "feature_flag_scopes"
  FOR EACH ROW EXECUTE FUNCTION "tell_feature_flag_scope"();

CREATE FUNCTION "tell_feature_flag_user_list"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_owned"('feature_flag', f."id", f."project_id", NULL)
    FROM "feature_flag_strategies" s JOIN "feature_flags" f ON f."id" = s."feature_flag_id"
    WHERE s."user_list_id" = NEW."id";
  RETURN NULL;
END $$;

CREATE TRIGGER "feature_flag_user_lists_tell" AFTER UPDATE ON "feature_flag_user_lists"
  FOR EACH ROW EXECUTE FUNCTION "tell_feature_flag_user_list"();
