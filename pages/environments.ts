import { ciFrame } from '#pages/ci.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { inPlace } from '#pages/place.ts';
import {
  EnvironmentActionPageDocument,
  type EnvironmentActionPageQuery,
  EnvironmentListPageDocument,
  EnvironmentPageDocument,
  SendEnvironmentDeletionDocument,
  SendEnvironmentStopDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const at = '/:project/-/environments';

type Environment = NonNullable<NonNullable<EnvironmentActionPageQuery['project']>['environment']>;

/** A page that asks before something is done with an environment. */
const about = (name: 'stop' | 'delete', title: string, isOffered: (environment: Environment) => boolean) =>
  page({
    path: `${at}/:id/${name}`,
    operation: EnvironmentActionPageDocument,
    view: `environments/${name}`,
    found: ({ project }) => {
      const environment = project?.environment;
      return project && environment && isOffered(environment) ? { project, environment } : null;
    },
    title: ({ project, environment }, { t }) => `${t(title, { name: environment.name })} · ${project.fullPath}`,
    show: ({ project, environment }) => ({ ...ciFrame(project, 'environments'), environment }),
    signIn: true,
  });

const stop = about('stop', label('Stop {name}'), ({ state, viewerCanStop }) => viewerCanStop && state !== 'STOPPED');
const deletion = about(
  'delete',
  label('Delete {name}'),
  ({ state, viewerCanDelete }) => viewerCanDelete && state === 'STOPPED',
);

/** Environments, and what is deployed to them. */
export const environments = [
  page({
    path: at,
    operation: EnvironmentListPageDocument,
    view: 'environments/list',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Environments')} · ${project.fullPath}`,
    show: (project, { given }) => ({
      ...ciFrame(project, 'environments'),
      environments: project.environments,
      state: given.state ?? 'all',
    }),
  }),
  page({
    path: `${at}/:id`,
    operation: EnvironmentPageDocument,
    view: 'environments/show',
    found: ({ project }) => project?.environment && { project, environment: project.environment },
    title: ({ project, environment }, { t }) => `${environment.name} · ${t('Environments')} · ${project.fullPath}`,
    show: ({ project, environment }) => ({ ...ciFrame(project, 'environments'), environment }),
  }),
  stop,
  form({
    path: `${at}/:id/stop`,
    operation: SendEnvironmentStopDocument,
    says: label('The environment is being stopped.'),
    goTo: (_data: unknown, { given }: Facts) => inPlace(given, 'environments', String(given.id)),
    asks: stop,
  }),
  deletion,
  form({
    path: `${at}/:id/delete`,
    operation: SendEnvironmentDeletionDocument,
    says: label('The environment was deleted.'),
    goTo: (_data: unknown, { given }: Facts) => inPlace(given, 'environments'),
    asks: deletion,
  }),
];
