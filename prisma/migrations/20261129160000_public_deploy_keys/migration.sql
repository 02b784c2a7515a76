-- A public deploy key may be added to any project by its masters, and stays when it is in none.
ALTER TABLE "deploy_keys" ADD COLUMN "is_public" BOOLEAN NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION "drop_orphaned_deploy_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM deploy_keys WHERE id = OLD.deploy_key_id FOR UPDATE;
  DELETE FROM deploy_keys k WHERE k.id = OLD.deploy_key_id AND NOT k.is_public
    AND NOT EXISTS (SELECT 1 FROM project_deploy_keys l WHERE l.deploy_key_id = k.id);
  RETURN NULL;
END $$;
