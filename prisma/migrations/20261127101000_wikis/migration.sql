-- Projects have wikis, unless they are switched off.
ALTER TABLE "projects" ALTER COLUMN "wiki_enabled" SET DEFAULT true;

-- Pages of wikis are events of their own.
CREATE OR REPLACE FUNCTION "hooks_for"(kind text, project int) RETURNS SETOF int LANGUAGE sql STABLE AS $$
  SELECT h."id" FROM "hooks" h
    WHERE h."disabled_at" IS NULL AND CASE kind
      WHEN 'push' THEN h."push_events" WHEN 'tag_push' THEN h."tag_push_events" WHEN 'issue' THEN h."issues_events"
      WHEN 'confidential_issue' THEN h."confidential_issues_events" WHEN 'merge_request' THEN h."merge_requests_events"
      WHEN 'note' THEN h."note_events" WHEN 'confidential_note' THEN h."note_events" AND h."confidential_issues_events"
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
