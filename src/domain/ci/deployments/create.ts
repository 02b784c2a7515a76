import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { DeploymentStatus } from '#src/domain/ci/deployments/list.ts';
import { insertDeployment } from '#src/domain/ci/deployments/record.ts';
import { ENVIRONMENT_NAME, NAME_RULE } from '#src/domain/ci/environments/values.ts';
import { isTooLong, REF_TOO_LONG } from '#src/domain/ci/ref.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { findCommit } from '#src/domain/repository/find_commit.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

/** A deployment by another system. */
export interface OutsideDeployment {
  /** Name of the environment, created if missing. */
  environment: string;
  sha: string;
  ref: string;
  /** Whether the ref is a tag. */
  tag?: boolean | null | undefined;
  status?: DeploymentStatus | undefined;
}

/** Records that another system deployed a commit, or does so, to an environment. Throws NotFound, Forbidden, ValidationFailed. */
export async function createDeployment(
  context: Context,
  ref: IdOrPath,
  input: OutsideDeployment,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'create_deployment', project);
  const { environment } = input;
  const wrong = wrongNames(input);
  const [first] = Object.entries(wrong);
  if (first) throw new ValidationFailed(Object.fromEntries([first]), wrong);
  const { oid: sha } = await findCommit(context, project, input.sha);
  const deployment = {
    ...{ projectId: project.id, environment, ref: input.ref, tag: input.tag ?? false, sha },
    status: input.status ?? ('success' as const),
  };
  const id = await context.db.$transaction((tx) =>
    insertDeployment(tx, { ...deployment, userId: actor.id, jobId: null, url: null }),
  );
  return { project, id };
}

function wrongNames({ environment, ref }: OutsideDeployment): FieldErrors {
  const wrong: FieldErrors = {};
  if (environment.trim() === '') wrong.environment = ["can't be blank"];
  else if (environment.length > 255) wrong.environment = ['is too long (maximum is 255 characters)'];
  else if (!ENVIRONMENT_NAME.test(environment)) wrong.environment = [NAME_RULE];
  if (ref.trim() === '') wrong.ref = ["can't be blank"];
  else if (isTooLong(ref)) wrong.ref = [REF_TOO_LONG];
  return wrong;
}
