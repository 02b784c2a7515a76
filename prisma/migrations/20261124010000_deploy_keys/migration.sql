-- AlterTable
ALTER TABLE "ssh_keys" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "deploy_keys" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER,
    "title" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "fingerprint_sha256" TEXT NOT NULL,
    "can_push" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "deploy_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project_deploy_keys" (
    "project_id" INTEGER NOT NULL,
    "deploy_key_id" INTEGER NOT NULL,

    CONSTRAINT "project_deploy_keys_pkey" PRIMARY KEY ("project_id","deploy_key_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "deploy_keys_fingerprint_sha256" ON "deploy_keys"("fingerprint_sha256");

-- CreateIndex
CREATE INDEX "deploy_keys_user_id_idx" ON "deploy_keys"("user_id");

-- CreateIndex
CREATE INDEX "project_deploy_keys_deploy_key_id_idx" ON "project_deploy_keys"("deploy_key_id");

-- AddForeignKey
ALTER TABLE "deploy_keys" ADD CONSTRAINT "deploy_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_deploy_keys" ADD CONSTRAINT "project_deploy_keys_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_deploy_keys" ADD CONSTRAINT "project_deploy_keys_deploy_key_id_fkey" FOREIGN KEY ("deploy_key_id") REFERENCES "deploy_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A key opens either what its user may see or what its projects are: a fingerprint is in one of the two tables. The lock lets
-- two transactions that want the same key see each other's rows.
CREATE FUNCTION "claim_fingerprint"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('ssh key ' || NEW.fingerprint_sha256, 0));
  IF TG_TABLE_NAME = 'ssh_keys' THEN
    SELECT EXISTS (SELECT 1 FROM deploy_keys WHERE fingerprint_sha256 = NEW.fingerprint_sha256) INTO taken;
  ELSE
    SELECT EXISTS (SELECT 1 FROM ssh_keys WHERE fingerprint_sha256 = NEW.fingerprint_sha256) INTO taken;
  END IF;
  IF taken THEN
    RAISE unique_violation USING MESSAGE = 'the fingerprint is taken', CONSTRAINT = TG_TABLE_NAME || '_fingerprint_sha256';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "ssh_keys_claim_fingerprint" BEFORE INSERT OR UPDATE OF "fingerprint_sha256" ON "ssh_keys"
  FOR EACH ROW EXECUTE FUNCTION "claim_fingerprint"();
CREATE TRIGGER "deploy_keys_claim_fingerprint" BEFORE INSERT OR UPDATE OF "fingerprint_sha256" ON "deploy_keys"
  FOR EACH ROW EXECUTE FUNCTION "claim_fingerprint"();

-- A deploy key goes with its last project. The lock lets two projects that give it up at once see each other.
CREATE FUNCTION "drop_orphaned_deploy_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM deploy_keys WHERE id = OLD.deploy_key_id FOR UPDATE;
  DELETE FROM deploy_keys k WHERE k.id = OLD.deploy_key_id
    AND NOT EXISTS (SELECT 1 FROM project_deploy_keys l WHERE l.deploy_key_id = k.id);
  RETURN NULL;
END $$;
CREATE TRIGGER "project_deploy_keys_drop_orphan" AFTER DELETE ON "project_deploy_keys"
  FOR EACH ROW EXECUTE FUNCTION "drop_orphaned_deploy_key"();
