import type { PipelineOrigin } from '#src/domain/ci/pipelines/config/base/origin.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';

/** The variables of a pipeline that every job gets, and that names of environments may use. */
export function predefined({ ref, branch = ref, tag, source, project }: PipelineOrigin, sha: string): Variables {
  const names = project.split('/');
  return {
    CI: 'true',
    CI_COMMIT_SHA: sha,
    CI_COMMIT_REF_NAME: branch,
    CI_COMMIT_REF_SLUG: refSlug(branch),
    ...(tag ? { CI_COMMIT_TAG: ref } : {}),
    CI_PIPELINE_SOURCE: source,
    CI_PROJECT_PATH: project,
    CI_PROJECT_NAME: names.at(-1) ?? '',
    CI_PROJECT_NAMESPACE: names.slice(0, -1).join('/'),
  };
}

/** What a job is called, and which part of its group it is; files can give these other values. */
export function ofJobName({ name, group, stage }: { name: string; group: string; stage: string }): Variables {
  return {
    CI_JOB_NAME: name,
    CI_JOB_NAME_SLUG: refSlug(name),
    CI_JOB_GROUP_NAME: group,
    CI_JOB_STAGE: stage,
    CI_NODE_TOTAL: '1',
  };
}

/** The name of a job without which part of a parallel one it is. */
export function groupOf(name: string): string {
  return name.replace(/(?: \d+\/\d+|: \[[^\]]*\])$/, '');
}

/** A ref or path for use in host names: at most 63 lower-case letters, digits and inner hyphens. */
export function refSlug(ref: string): string {
  return ref
    .toLowerCase()
    .slice(0, 63)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '');
}
