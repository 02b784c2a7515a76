-- AlterTable: applications that registered themselves have no owner, and no secret
ALTER TABLE "oauth_applications" ALTER COLUMN "owner_id" DROP NOT NULL;
ALTER TABLE "oauth_applications" ADD CONSTRAINT "oauth_applications_self_registered_check" CHECK ("owner_id" IS NOT NULL OR "secret_hash" IS NULL);
