-- When merge requests were closed or merged, and who closed them, as their events tell; the last change where there are none.
UPDATE "merge_requests" m SET
  "closed_at" = CASE WHEN m."state" = 'closed' THEN COALESCE(e."created_at", m."updated_at") END,
  "closed_by_id" = CASE WHEN m."state" = 'closed' THEN e."author_id" END,
  "merged_at" = CASE WHEN m."state" = 'merged' THEN COALESCE(e."created_at", m."updated_at") END
FROM "merge_requests" s LEFT JOIN LATERAL (
  SELECT v."created_at", v."author_id" FROM "events" v
  WHERE v."target_type" = 'MergeRequest' AND v."target_id" = s."id"
    AND v."action" = CASE s."state" WHEN 'closed' THEN 'closed' ELSE 'accepted' END
  ORDER BY v."id" DESC LIMIT 1
) e ON TRUE
WHERE s."id" = m."id" AND s."state" <> 'opened' AND m."closed_at" IS NULL AND m."merged_at" IS NULL;
