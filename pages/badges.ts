import {
  type Badge,
  badgePicture,
  COVERAGE_BOUNDS,
  coverageBadge,
  pipelineBadge,
  releaseBadge,
} from '#pages/badge_picture.ts';
import { type Facts, raw } from '#pages/engine/row.ts';
import {
  CoverageBadgeDocument,
  CoverageBadgeOfJobDocument,
  PipelineBadgeDocument,
  ReleaseBadgeDocument,
} from '#src/generated/page_operations.ts';

/** The last value of a parameter; undefined where none was sent. */
function textOf({ given }: Facts, name: string): string | undefined {
  const value = [given[name]].flat().at(-1);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(facts: Facts, name: string): number | undefined {
  const text = textOf(facts, name);
  return text !== undefined && /^\d{1,3}(?:\.\d{1,2})?$/.test(text) ? Number(text) : undefined;
}

/** A badge as the parameters of its address want it. */
function drawn(name: string, badge: Badge, facts: Facts) {
  const text = badgePicture(badge, {
    keyText: textOf(facts, 'key_text'),
    keyWidth: numberOf(facts, 'key_width'),
    valueWidth: numberOf(facts, 'value_width'),
    isSquare: textOf(facts, 'style') === 'flat-square',
  });
  return { text, fileName: `${name}.svg`, type: 'image/svg+xml; charset=utf-8' };
}

/** READMEs have the first of these addresses, newer ones the second. */
const OF_REFS = ['/:project/badges/*ref', '/:project/-/badges/*ref'];

/** Pictures for READMEs and pages elsewhere: how pipeline and coverage of a branch are, and what the latest release is. */
export const badges = [
  raw({
    path: '/:project/-/badges/release.svg',
    operation: ReleaseBadgeDocument,
    content: 'page_text',
    found: ({ project }, facts) =>
      project && drawn('release', releaseBadge(project.latestRelease?.tagName ?? null), facts),
  }),
  ...OF_REFS.flatMap((path) => [
    raw({
      path: `${path}/pipeline.svg`,
      operation: PipelineBadgeDocument,
      content: 'page_text',
      variables: (given) => ({ ...given, ignoreSkipped: given.ignore_skipped === 'true' ? 'true' : 'false' }),
      found: ({ project }, facts) =>
        project && drawn('pipeline', pipelineBadge(project.latestPipeline?.status ?? null), facts),
    }),
    // Without a job it is that of the whole pipeline.
    raw({
      path: `${path}/coverage.svg`,
      operation: CoverageBadgeOfJobDocument,
      content: 'page_text',
      found: ({ project }, facts) => project && ofCoverage(project.latestSuccessfulJob?.coverage ?? null, facts),
    }),
    raw({
      path: `${path}/coverage.svg`,
      operation: CoverageBadgeDocument,
      content: 'page_text',
      found: ({ project }, facts) => project && ofCoverage(project.pipelines.nodes[0]?.coverage ?? null, facts),
    }),
  ]),
];

function ofCoverage(coverage: number | null, facts: Facts) {
  const bounds = {
    good: numberOf(facts, 'min_good') ?? COVERAGE_BOUNDS.good,
    acceptable: numberOf(facts, 'min_acceptable') ?? COVERAGE_BOUNDS.acceptable,
    medium: numberOf(facts, 'min_medium') ?? COVERAGE_BOUNDS.medium,
  };
  return drawn('coverage', coverageBadge(coverage, bounds), facts);
}
