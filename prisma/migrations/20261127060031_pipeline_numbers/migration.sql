-- Pipelines are numbered per project. The trigger also numbers those that servers of the version before make.
ALTER TABLE "pipelines" ADD COLUMN "iid" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "project_counters" ADD COLUMN "last_pipeline_iid" INTEGER NOT NULL DEFAULT 0;

CREATE FUNCTION "number_pipeline"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."iid" = 0 THEN
    UPDATE "project_counters" SET "last_pipeline_iid" = "last_pipeline_iid" + 1 WHERE "project_id" = NEW."project_id"
      RETURNING "last_pipeline_iid" INTO NEW."iid";
    -- A project that is gone has no counter: the reference to it fails, and not the number.
    NEW."iid" := COALESCE(NEW."iid", 0);
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "pipelines_number" BEFORE INSERT ON "pipelines" FOR EACH ROW EXECUTE FUNCTION "number_pipeline"();

UPDATE "pipelines" p SET "iid" = n."iid"
  FROM (SELECT "id", row_number() OVER (PARTITION BY "project_id" ORDER BY "id") AS "iid" FROM "pipelines") n WHERE n."id" = p."id";

UPDATE "project_counters" c SET "last_pipeline_iid" = n."last"
  FROM (SELECT "project_id", max("iid") AS "last" FROM "pipelines" GROUP BY "project_id") n WHERE n."project_id" = c."project_id";
