import { chartsOf } from '#pages/chart.ts';
import { ciFrame } from '#pages/ci.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import {
  CheckConfigurationDocument,
  LintPageDocument,
  type LintPageQuery,
  PipelineChartsPageDocument,
} from '#src/generated/page_operations.ts';

type Checked = NonNullable<LintPageQuery['project']>;

const shown = (project: Checked) => ({ ...ciFrame(project, 'lint'), lint: project.ciLint ?? null });
const lintTitle = ({ fullPath }: { fullPath: string }, { t }: Facts) => `${t('CI lint')} · ${fullPath}`;

const lint = page({
  path: '/:project/-/ci/lint',
  operation: LintPageDocument,
  view: 'ci/lint',
  variables: ({ ref, ...given }) => ({ ...given, ...(ref ? { ref } : {}), checks: ref ? 'true' : 'false' }),
  found: ({ project }) => (project?.viewerCanCreatePipeline ? project : null),
  title: lintTitle,
  show: shown,
  signIn: true,
});

/** What checks configurations, and charts of pipelines. */
export const ciTools = [
  lint,
  form({
    path: '/:project/-/ci/lint',
    operation: CheckConfigurationDocument,
    says: null,
    variables: ({ ref, dryRun, ...given }) => ({
      ...given,
      ...(ref ? { ref } : {}),
      dryRun: dryRun === undefined ? 'false' : dryRun,
    }),
    goTo: (_data, { url }) => url.pathname,
    shows: ({ project }, facts) =>
      project && { view: 'ci/lint', title: lintTitle(project, facts), values: shown(project) },
    again: lint,
  }),
  page({
    path: '/:project/-/pipelines/charts',
    operation: PipelineChartsPageDocument,
    view: 'ci/charts',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Charts of pipelines')} · ${project.fullPath}`,
    show: (project, { given }) => ({
      ...ciFrame(project, 'charts'),
      spans: project.pipelineStatistics,
      jobs: project.jobStatistics,
      charts: chartsOf(project.pipelineStatistics),
      interval: given.interval ?? 'week',
    }),
  }),
];
