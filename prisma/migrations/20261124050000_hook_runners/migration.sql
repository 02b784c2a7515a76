-- Events of jobs and pipelines say which runner has the job.
CREATE FUNCTION "hook_runner"(runner int) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', r."id", 'description', r."description", 'active', r."active", 'isShared', r."is_shared")
  FROM "runners" r WHERE r."id" = runner
$$;

CREATE OR REPLACE FUNCTION "hook_job"(j "jobs") RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', j."id", 'name', j."name", 'stage', j."stage", 'stageIndex', j."stage_index", 'status', j."status",
    'allowFailure', j."allow_failure", 'when', j."when", 'createdAt', j."created_at", 'startedAt', j."started_at",
    'finishedAt', j."finished_at", 'runner', "hook_runner"(j."runner_id"), 'artifactsFilename', j."artifacts_filename",
    'artifactsSize', j."artifacts_size", 'user', "hook_user"(j."user_id"))
$$;
