-- AlterTable
ALTER TABLE "application_settings" ADD COLUMN     "allow_local_requests_from_web_hooks_and_services" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "can_create_group" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "default_artifacts_expire_in" TEXT NOT NULL DEFAULT '30 days',
ADD COLUMN     "default_branch_name" TEXT,
ADD COLUMN     "default_ci_config_path" TEXT,
ADD COLUMN     "import_sources" TEXT[] DEFAULT ARRAY['git', 'gitlab_project']::TEXT[],
ADD COLUMN     "max_artifacts_size" INTEGER NOT NULL DEFAULT 100,
ADD COLUMN     "password_authentication_enabled_for_git" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "password_authentication_enabled_for_web" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "personal_access_token_prefix" TEXT NOT NULL DEFAULT 'glpat-',
ADD COLUMN     "require_personal_access_token_expiry" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "require_two_factor_authentication" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "shared_runners_enabled" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "throttle_authenticated_api_enabled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "throttle_authenticated_api_period_in_seconds" INTEGER NOT NULL DEFAULT 3600,
ADD COLUMN     "throttle_authenticated_api_requests_per_period" INTEGER NOT NULL DEFAULT 7200,
ADD COLUMN     "throttle_authenticated_web_enabled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "throttle_authenticated_web_period_in_seconds" INTEGER NOT NULL DEFAULT 3600,
ADD COLUMN     "throttle_authenticated_web_requests_per_period" INTEGER NOT NULL DEFAULT 7200,
ADD COLUMN     "throttle_protected_paths_enabled" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "throttle_protected_paths_period_in_seconds" INTEGER NOT NULL DEFAULT 60,
ADD COLUMN     "throttle_protected_paths_requests_per_period" INTEGER NOT NULL DEFAULT 600,
ADD COLUMN     "throttle_unauthenticated_api_enabled" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "throttle_unauthenticated_api_period_in_seconds" INTEGER NOT NULL DEFAULT 60,
ADD COLUMN     "throttle_unauthenticated_api_requests_per_period" INTEGER NOT NULL DEFAULT 6000,
ADD COLUMN     "throttle_unauthenticated_enabled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "throttle_unauthenticated_period_in_seconds" INTEGER NOT NULL DEFAULT 3600,
ADD COLUMN     "throttle_unauthenticated_requests_per_period" INTEGER NOT NULL DEFAULT 3600,
ADD COLUMN     "two_factor_grace_period" INTEGER NOT NULL DEFAULT 48,
ADD COLUMN     "user_default_external" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "commit_email" TEXT,
ADD COLUMN     "created_by_id" INTEGER,
ADD COLUMN     "current_sign_in_ip" TEXT,
ADD COLUMN     "discord" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "github" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "job_title" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "last_sign_in_ip" TEXT,
ADD COLUMN     "note" TEXT,
ADD COLUMN     "private_profile" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "pronouns" TEXT,
ADD COLUMN     "sign_in_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "theme_id" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "two_factor_wanted_at" TIMESTAMPTZ(3);

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- An address that is no longer the user's is neither public any more nor that of commits.
CREATE OR REPLACE FUNCTION "forget_public_email"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "users" SET "public_email" = NULL WHERE "id" = OLD."user_id" AND "public_email" = OLD."email";
  UPDATE "users" SET "commit_email" = NULL WHERE "id" = OLD."user_id" AND "commit_email" = OLD."email";
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "keep_public_email"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."public_email" = OLD."email" THEN NEW."public_email" := NULL; END IF;
  IF NEW."commit_email" = OLD."email" THEN NEW."commit_email" := NULL; END IF;
  RETURN NEW;
END $$;
