-- Roles that own files. Rules that were made before are made anew, as their files may name some.
ALTER TABLE "approval_rules" ADD COLUMN "roles" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[];
ALTER TABLE "approval_rules" ADD CONSTRAINT "approval_rules_roles" CHECK ("roles" <@ ARRAY[30, 40, 50]);

UPDATE "merge_requests" SET "code_owners_key" = '' WHERE "code_owners_key" IS NOT NULL AND "state" = 'opened';
