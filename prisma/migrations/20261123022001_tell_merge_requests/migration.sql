-- Tells subscribers of merge requests as of issues; servers of the version before take no notice.
CREATE FUNCTION "tell_merge_request"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_subscribers"('merge_request ' || NEW."id" || ' ' || NEW."target_project_id");
  RETURN NULL;
END $$;

CREATE TRIGGER "merge_requests_tell" AFTER INSERT OR UPDATE ON "merge_requests"
  FOR EACH ROW EXECUTE FUNCTION "tell_merge_request"();

CREATE FUNCTION "tell_merge_request_label"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_subscribers"('merge_request ' || m."id" || ' ' || m."target_project_id") FROM "merge_requests" m
    WHERE m."id" = CASE WHEN TG_OP = 'DELETE' THEN OLD."merge_request_id" ELSE NEW."merge_request_id" END;
  RETURN NULL;
END $$;

CREATE TRIGGER "merge_request_labels_tell" AFTER INSERT OR DELETE ON "merge_request_labels"
  FOR EACH ROW EXECUTE FUNCTION "tell_merge_request_label"();
