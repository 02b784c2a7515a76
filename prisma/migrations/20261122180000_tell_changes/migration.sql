-- Processes in which somebody subscribes to changes.
CREATE TABLE "change_listeners" (
    "id" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "change_listeners_pkey" PRIMARY KEY ("id")
);

-- Transactions that notify commit one after the other, each with its write to the disk: they do so only while somebody hears it.
CREATE FUNCTION "tell_subscribers"(payload text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "change_listeners" WHERE "seen_at" > now() - interval '1 minute') THEN
    PERFORM pg_notify('gantry_changes', payload);
  END IF;
END $$;

-- Tells all processes which records change, by their IDs alone, when the transaction commits. What one transaction says twice in
-- the same words is heard once.
CREATE FUNCTION "tell_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_subscribers"(TG_ARGV[0] || ' ' || NEW."id" || ' ' || NEW."project_id");
  RETURN NULL;
END $$;

CREATE TRIGGER "issues_tell" AFTER INSERT OR UPDATE ON "issues"
  FOR EACH ROW EXECUTE FUNCTION "tell_change"('issue');
CREATE TRIGGER "pipelines_tell" AFTER INSERT OR UPDATE ON "pipelines"
  FOR EACH ROW EXECUTE FUNCTION "tell_change"('pipeline');
CREATE TRIGGER "events_tell" AFTER INSERT ON "events"
  FOR EACH ROW WHEN (NEW."project_id" IS NOT NULL) EXECUTE FUNCTION "tell_change"('event');

-- A pipeline changes with its jobs, and an issue with its labels. What goes with a deleted issue is told to nobody.
CREATE FUNCTION "tell_job"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_subscribers"('pipeline ' || NEW."pipeline_id" || ' ' || NEW."project_id");
  IF TG_OP = 'UPDATE' AND OLD."finished_at" IS NULL AND NEW."finished_at" IS NOT NULL THEN
    PERFORM "tell_subscribers"('trace ' || NEW."id" || ' ' || NEW."project_id");
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "jobs_tell" AFTER INSERT OR UPDATE ON "jobs"
  FOR EACH ROW EXECUTE FUNCTION "tell_job"();

CREATE FUNCTION "tell_issue_label"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_subscribers"('issue ' || i."id" || ' ' || i."project_id") FROM "issues" i
    WHERE i."id" = CASE WHEN TG_OP = 'DELETE' THEN OLD."issue_id" ELSE NEW."issue_id" END;
  RETURN NULL;
END $$;

CREATE TRIGGER "issue_labels_tell" AFTER INSERT OR DELETE ON "issue_labels"
  FOR EACH ROW EXECUTE FUNCTION "tell_issue_label"();

-- Where the part begins is said too: subscribers to all jobs of a project have not seen what came before it.
CREATE FUNCTION "tell_trace"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_subscribers"('trace ' || j."id" || ' ' || j."project_id" || ' ' || NEW."position") FROM "jobs" j
    WHERE j."id" = NEW."job_id";
  RETURN NULL;
END $$;

CREATE TRIGGER "job_trace_chunks_tell" AFTER INSERT ON "job_trace_chunks"
  FOR EACH ROW EXECUTE FUNCTION "tell_trace"();
