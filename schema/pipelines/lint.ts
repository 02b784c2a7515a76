import { builder } from '#schema/builder.ts';
import { Project } from '#schema/projects/types.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { Included } from '#src/domain/ci/pipelines/config/compose/include.ts';
import type { JobConfig, RefPolicy } from '#src/domain/ci/pipelines/config/model.ts';
import type { PipelinePlan } from '#src/domain/ci/pipelines/config/plan.ts';
import { lintConfig } from '#src/domain/ci/pipelines/config/read.ts';
import { lintForProject } from '#src/domain/ci/pipelines/lint.ts';

const CiLintStatus = builder.enumType('CiLintStatus', {
  description: 'Whether a `.gitlab-ci.yml` can be used.',
  values: {
    VALID: { value: 'valid', description: 'Pipelines can be made of it.' },
    INVALID: { value: 'invalid', description: 'Pipelines would fail because of errors in it.' },
  } as const,
});

const CiRefPolicy = builder.objectRef<RefPolicy>('CiRefPolicy').implement({
  description: 'The refs for which a job is, or is not, in a pipeline.',
  fields: (t) => ({
    refs: t.stringList({
      description: 'Names, words such as `branches`, or patterns between slashes.',
      resolve: ({ refs }) => refs ?? [],
    }),
  }),
});

const linesOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

const CiLintJob = builder.objectRef<JobConfig>('CiLintJob').implement({
  description: 'A job as a CI configuration defines it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its key in the file, with what `parallel` adds.' }),
    stage: t.exposeString('stage', { description: 'Name of its stage.' }),
    beforeScript: t.stringList({
      description: 'Commands that run before the script.',
      resolve: ({ options }) => linesOf(options.before_script),
    }),
    script: t.stringList({ description: 'Commands that it runs.', resolve: ({ options }) => linesOf(options.script) }),
    afterScript: t.stringList({
      description: 'Commands that run after the script, however it ends.',
      resolve: ({ options }) => linesOf(options.after_script),
    }),
    tags: t.exposeStringList('tags', { description: 'The tags that a runner must have to run it.' }),
    only: t.expose('only', {
      type: CiRefPolicy,
      nullable: true,
      description: 'The refs that it is limited to; null if it is not, or is selected by rules.',
    }),
    except: t.expose('except', {
      type: CiRefPolicy,
      nullable: true,
      description: 'The refs that it is not for; null without any.',
    }),
    environment: t.string({
      nullable: true,
      description: 'Name of the environment, which may contain variables; null without one.',
      resolve: ({ environment }) => environment?.name ?? null,
    }),
    when: t.exposeString('when', {
      description: 'When it runs: `on_success`, `on_failure`, `always`, `manual` or `delayed`.',
    }),
    allowFailure: t.exposeBoolean('allowFailure', {
      description: 'Whether the pipeline can succeed even if it fails.',
    }),
    needs: t.stringList({
      description:
        'Names of the jobs that it waits for, whatever their stages; empty for all of earlier stages, or none.',
      resolve: ({ needs }) => needs?.map((need) => need.job) ?? [],
    }),
  }),
});

interface IncludedRow extends Included {
  /** Full path of the project that is checked; null without one. */
  own: string | null;
}

const CiInclude = builder.objectRef<IncludedRow>('CiInclude').implement({
  description: 'A file that a CI configuration includes.',
  fields: (t) => ({
    type: t.exposeString('type', {
      description: 'How it is included: `local`, `file`, `remote`, `template` or `component`.',
    }),
    location: t.exposeString('location', { description: 'Its path, address or name.' }),
    contextProject: t.string({
      nullable: true,
      description: 'Full path of the project that it lies in; null for remote files, templates, and without a project.',
      resolve: ({ type, place, own }) => (type === 'local' || type === 'file' ? (place?.project ?? own) : null),
    }),
  }),
});

interface LintRow extends PipelinePlan {
  project: string | null;
}

const CiLint = builder.objectRef<LintRow>('CiLint').implement({
  description: 'What a check of a `.gitlab-ci.yml` found.',
  fields: (t) => ({
    status: t.field({
      type: CiLintStatus,
      description: 'Whether the content can be used.',
      resolve: ({ error }) => (error === null ? 'valid' : 'invalid'),
    }),
    valid: t.boolean({
      description: 'Whether pipelines can be made of the content.',
      resolve: ({ error }) => error === null,
    }),
    errors: t.stringList({
      description: 'The first thing that is wrong with the content; empty if it is valid.',
      resolve: ({ error }) => (error === null ? [] : [error]),
    }),
    warnings: t.exposeStringList('warnings', { description: 'What the content has that takes no effect.' }),
    mergedYaml: t.string({
      nullable: true,
      description: 'The content in one piece, with what it includes, extends and refers to; null if it is invalid.',
      resolve: ({ merged }) => merged,
    }),
    includes: t.field({
      type: [CiInclude],
      description: 'The files that the content includes, in the order in which they are read.',
      resolve: ({ included, project }) => included.map((file) => ({ ...file, own: project })),
    }),
    jobs: t.field({
      type: [CiLintJob],
      description: 'The jobs that the content defines, or that a push would have; empty if it is invalid.',
      resolve: ({ jobs }) => jobs ?? [],
    }),
  }),
});

builder.queryFields((t) => ({
  ciLint: t.field({
    type: CiLint,
    description: 'Checks the content of a `.gitlab-ci.yml`, of at most 1 MiB, without a project. For everyone.',
    args: { content: t.arg.string({ required: true, description: 'Text of the file, in YAML.' }) },
    resolve: async (_root, { content }, context) => {
      const wish = { text: content, origin: null, known: { weak: {}, strong: {} }, ground: null, wantsMerged: true };
      const plan = await lintConfig(context, callerOf(context.actor, context.clientAddress), wish);
      return { ...plan, project: null };
    },
  }),
}));

builder.objectField(Project, 'ciLint', (t) =>
  t.field({
    type: CiLint,
    nullable: true,
    description:
      'Checks a `.gitlab-ci.yml` with what it includes from the project. Other content than that of a commit is checked for developers.',
    args: {
      content: t.arg.string({ description: 'Text of the file, in YAML; the committed file if it is not given.' }),
      ref: t.arg.string({
        description: 'Branch, tag or commit that the file is checked for; the default branch if it is not given.',
      }),
      dryRun: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to select the jobs of a push to the ref, rather than to list all jobs.',
      }),
    },
    resolve: async (project, request, context) => ({
      ...(await lintForProject(context, project, request)),
      project: project.fullPath,
    }),
  }),
);
