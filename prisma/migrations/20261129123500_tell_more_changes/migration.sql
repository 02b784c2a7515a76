-- Tells subscribers of labels, boards, releases, projects, to-dos, awards, and of what was deleted. A change says what it belongs to:
-- `p` a project, `n` a namespace, `u` a user. Servers of the version before take no notice.
CREATE FUNCTION "tell_owned"(kind text, id int, project_id int, group_id int) RETURNS void LANGUAGE sql AS $$
  SELECT "tell_subscribers"(kind || ' ' || id || CASE WHEN project_id IS NOT NULL THEN ' p' || project_id ELSE ' n' || group_id END)
$$;

-- What goes with a whole project or group is not told one by one.
CREATE FUNCTION "tell_deleted"(id int, project_id int, group_id int, type text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "projects" p WHERE p."id" = project_id AND p."deleted_at" IS NULL)
    OR EXISTS (SELECT 1 FROM "namespaces" n WHERE n."id" = group_id AND n."deleted_at" IS NULL) THEN
    PERFORM "tell_subscribers"('deleted ' || id || CASE WHEN project_id IS NOT NULL THEN ' p' || project_id ELSE ' n' || group_id END
      || ' ' || type);
  END IF;
END $$;

-- Records that belong to a project or to a group; one of the two columns may be missing.
CREATE FUNCTION "tell_owned_record"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  columns jsonb;
BEGIN
  IF TG_OP = 'DELETE' THEN
    columns := to_jsonb(OLD);
    PERFORM "tell_deleted"(OLD."id", (columns ->> 'project_id')::int, (columns ->> 'group_id')::int, TG_ARGV[0]);
  ELSE
    columns := to_jsonb(NEW);
    PERFORM "tell_owned"(TG_ARGV[0], NEW."id", (columns ->> 'project_id')::int, (columns ->> 'group_id')::int);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "labels_tell" AFTER INSERT OR UPDATE OR DELETE ON "labels"
  FOR EACH ROW EXECUTE FUNCTION "tell_owned_record"('label');
CREATE TRIGGER "boards_tell" AFTER INSERT OR UPDATE OR DELETE ON "boards"
  FOR EACH ROW EXECUTE FUNCTION "tell_owned_record"('board');
CREATE TRIGGER "releases_tell" AFTER INSERT OR UPDATE OR DELETE ON "releases"
  FOR EACH ROW EXECUTE FUNCTION "tell_owned_record"('release');
CREATE TRIGGER "pipelines_tell_deleted" AFTER DELETE ON "pipelines"
  FOR EACH ROW EXECUTE FUNCTION "tell_owned_record"('pipeline');

CREATE FUNCTION "tell_label_priority"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_owned"('label', l."id", CASE WHEN TG_OP = 'DELETE' THEN OLD."project_id" ELSE NEW."project_id" END, NULL)
    FROM "labels" l WHERE l."id" = CASE WHEN TG_OP = 'DELETE' THEN OLD."label_id" ELSE NEW."label_id" END;
  RETURN NULL;
END $$;

CREATE TRIGGER "label_priorities_tell" AFTER INSERT OR UPDATE OR DELETE ON "label_priorities"
  FOR EACH ROW EXECUTE FUNCTION "tell_label_priority"();

-- A board changes with its lists.
CREATE FUNCTION "tell_board_list"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_owned"('board', b."id", b."project_id", b."group_id") FROM "boards" b
    WHERE b."id" = CASE WHEN TG_OP = 'DELETE' THEN OLD."board_id" ELSE NEW."board_id" END;
  RETURN NULL;
END $$;

CREATE TRIGGER "board_lists_tell" AFTER INSERT OR UPDATE OR DELETE ON "board_lists"
  FOR EACH ROW EXECUTE FUNCTION "tell_board_list"();

-- A release changes with its links and milestones.
CREATE FUNCTION "tell_release_part"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_owned"('release', r."id", r."project_id", NULL) FROM "releases" r
    WHERE r."id" = CASE WHEN TG_OP = 'DELETE' THEN OLD."release_id" ELSE NEW."release_id" END;
  RETURN NULL;
END $$;

CREATE TRIGGER "release_links_tell" AFTER INSERT OR UPDATE OR DELETE ON "release_links"
  FOR EACH ROW EXECUTE FUNCTION "tell_release_part"();
CREATE TRIGGER "release_milestones_tell" AFTER INSERT OR DELETE ON "release_milestones"
  FOR EACH ROW EXECUTE FUNCTION "tell_release_part"();

-- The rows of deleted projects and issues stay for a while. Where a project was and who could see it is told with it, as its row may be
-- gone by the time that it is read.
CREATE FUNCTION "tell_project"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."deleted_at" IS NULL THEN
    PERFORM "tell_subscribers"('project ' || NEW."id" || ' p' || NEW."id");
  ELSIF TG_OP = 'UPDATE' AND OLD."deleted_at" IS NULL THEN
    PERFORM "tell_subscribers"('deleted ' || NEW."id" || ' n' || NEW."namespace_id" || ' project ' || NEW."visibility");
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "projects_tell" AFTER INSERT OR UPDATE ON "projects"
  FOR EACH ROW EXECUTE FUNCTION "tell_project"();

CREATE FUNCTION "tell_deleted_issue"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_deleted"(NEW."id", NEW."project_id", NULL, 'issue');
  RETURN NULL;
END $$;

CREATE TRIGGER "issues_tell_deleted" AFTER UPDATE OF "deleted_at" ON "issues"
  FOR EACH ROW WHEN (OLD."deleted_at" IS NULL AND NEW."deleted_at" IS NOT NULL) EXECUTE FUNCTION "tell_deleted_issue"();

CREATE FUNCTION "tell_deleted_merge_request"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_deleted"(OLD."id", OLD."target_project_id", NULL, 'merge_request');
  RETURN NULL;
END $$;

CREATE TRIGGER "merge_requests_tell_deleted" AFTER DELETE ON "merge_requests"
  FOR EACH ROW EXECUTE FUNCTION "tell_deleted_merge_request"();

-- To-dos belong to a user alone.
CREATE FUNCTION "tell_todo"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    PERFORM "tell_subscribers"('todo ' || NEW."id" || ' u' || NEW."user_id");
  ELSIF EXISTS (SELECT 1 FROM "projects" p WHERE p."id" = OLD."project_id" AND p."deleted_at" IS NULL) THEN
    PERFORM "tell_subscribers"('deleted ' || OLD."id" || ' u' || OLD."user_id" || ' todo');
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "todos_tell" AFTER INSERT OR UPDATE OR DELETE ON "todos"
  FOR EACH ROW EXECUTE FUNCTION "tell_todo"();

-- The project of what awards and notes are on; NULL for what belongs to none, or is gone.
CREATE FUNCTION "project_of_subject"(type text, subject int) RETURNS int LANGUAGE sql STABLE AS $$
  SELECT CASE type
    WHEN 'Issue' THEN (SELECT i."project_id" FROM "issues" i WHERE i."id" = subject AND i."deleted_at" IS NULL)
    WHEN 'MergeRequest' THEN (SELECT m."target_project_id" FROM "merge_requests" m WHERE m."id" = subject)
    WHEN 'Snippet' THEN (SELECT s."project_id" FROM "snippets" s WHERE s."id" = subject)
  END
$$;

-- Awards are told as a change of what they are on, as they only come and go.
CREATE FUNCTION "tell_award"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  type text := CASE WHEN TG_OP = 'DELETE' THEN OLD."subject_type" ELSE NEW."subject_type" END;
  subject int := CASE WHEN TG_OP = 'DELETE' THEN OLD."subject_id" ELSE NEW."subject_id" END;
  project int;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM "change_listeners" WHERE "seen_at" > now() - interval '1 minute') THEN RETURN NULL; END IF;
  IF type = 'Note' THEN
    SELECT "project_of_subject"(n."subject_type", n."subject_id") INTO project FROM "notes" n WHERE n."id" = subject;
  ELSE
    project := "project_of_subject"(type, subject);
  END IF;
  IF EXISTS (SELECT 1 FROM "projects" p WHERE p."id" = project AND p."deleted_at" IS NULL) THEN
    PERFORM "tell_subscribers"('award ' || subject || ' p' || project || ' ' || type);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "award_emoji_tell" AFTER INSERT OR UPDATE OR DELETE ON "award_emoji"
  FOR EACH ROW EXECUTE FUNCTION "tell_award"();
