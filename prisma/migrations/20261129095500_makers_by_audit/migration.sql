-- Deploy tokens of earlier versions get the maker that the audit log names. Those of bots whose access token has ended, end too.
UPDATE "deploy_tokens" d SET "created_by_id" = a."author_id" FROM "audit_events" a
WHERE d."created_by_id" IS NULL AND a."action" = 'deploy_token_created' AND a."target_type" = 'DeployToken'
  AND a."target_id" = d."id" AND a."author_id" IS NOT NULL;

UPDATE "deploy_tokens" d SET "revoked" = true, "token_encrypted" = NULL FROM "users" u
WHERE NOT d."revoked" AND u."id" = d."created_by_id" AND u."bot"
  AND EXISTS (SELECT 1 FROM "personal_access_tokens" t
    WHERE t."user_id" = u."id" AND (t."project_id" IS NOT NULL OR t."namespace_id" IS NOT NULL))
  AND NOT EXISTS (SELECT 1 FROM "personal_access_tokens" t
    WHERE t."user_id" = u."id" AND NOT t."revoked" AND (t."expires_at" IS NULL OR t."expires_at" > (now() AT TIME ZONE 'UTC')::date));
