import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { NotFound } from '#src/platform/errors.ts';

/** A record by ID, with the project that must contain it; any when absent. */
export interface HeldRecord {
  id: number;
  project?: IdOrPath | null | undefined;
}

/** The records whose project is found by their IDs. */
type Held =
  | 'ApprovalRule'
  | 'CommitComment'
  | 'ContainerProtectionRepositoryRule'
  | 'ContainerRepository'
  | 'ContainerTagProtectionRule'
  | 'Deployment'
  | 'Environment'
  | 'FeatureFlag'
  | 'FeatureFlagUserList'
  | 'Job'
  | 'Milestone'
  | 'Package'
  | 'PackageFile'
  | 'PackagesProtectionRule'
  | 'PagesDeployment'
  | 'Pipeline'
  | 'PipelineSchedule'
  | 'RemoteMirror'
  | 'Trigger';

/**
 * The project of a record. A given project is looked up by the command that receives it. Throws InsufficientScope, NotFound for a
 * record that does not exist, that is in no project, or that the actor may not know of.
 */
export async function projectHolding(context: Context, resource: Held, { id, project }: HeldRecord): Promise<IdOrPath> {
  if (project != null) return project;
  readerOf(context);
  const by = { where: { id }, select: { projectId: true } };
  const { db } = context;
  const row = await {
    ApprovalRule: () => db.approvalRule.findUnique(by),
    CommitComment: () => db.commitComment.findUnique(by),
    ContainerProtectionRepositoryRule: () => db.containerProtectionRepositoryRule.findUnique(by),
    ContainerRepository: () => db.containerRepository.findUnique(by),
    ContainerTagProtectionRule: () => db.containerTagProtectionRule.findUnique(by),
    Deployment: () => db.deployment.findUnique(by),
    Environment: () => db.environment.findUnique(by),
    FeatureFlag: () => db.featureFlag.findUnique(by),
    FeatureFlagUserList: () => db.featureFlagUserList.findUnique(by),
    Job: () => db.job.findUnique(by),
    Milestone: () => db.milestone.findUnique(by),
    Package: () => db.package.findUnique(by),
    PackageFile: () => db.packageFile.findUnique(by),
    PackagesProtectionRule: () => db.packagesProtectionRule.findUnique(by),
    PagesDeployment: () => db.pagesDeployment.findUnique(by),
    Pipeline: () => db.pipeline.findUnique(by),
    PipelineSchedule: () => db.pipelineSchedule.findUnique(by),
    RemoteMirror: () => db.remoteMirror.findUnique(by),
    Trigger: () => db.trigger.findUnique(by),
  }[resource]();
  return visibleProject(context, resource, row?.projectId);
}

/** The project with this ID, of a record that was found by its own. Throws NotFound, which names the record, if the actor cannot see it. */
export async function visibleProject(
  context: Context,
  resource: string,
  projectId: number | null | undefined,
): Promise<number> {
  if (projectId == null) throw new NotFound(resource);
  try {
    return (await findProject(context, projectId)).id;
  } catch (error) {
    throw error instanceof NotFound ? new NotFound(resource) : error;
  }
}
