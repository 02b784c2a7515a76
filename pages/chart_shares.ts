import { languageColor } from '#pages/engine/helpers.ts';

/** Shares at a point in time. */
export interface SharesAt {
  /** ISO 8601. */
  at: string;
  languages: readonly { name: string; share: number }[];
}

/** A picture of shares that come to 100 percent at each point, one area on another. */
export interface ShareChart {
  width: number;
  height: number;
  floor: number;
  left: number;
  /** From the lowest one up; the one without a name has all others. */
  areas: { name: string | null; color: string | undefined; path: string }[];
  /** Percent of each area, oldest first. */
  points: { at: string; values: number[] }[];
  labels: { x: number; text: string }[];
}

const SIZE = { width: 720, height: 220 };
const EDGE = { left: 56, right: 8, top: 20, bottom: 28 };
/** Areas of the picture besides that of all others. */
const MAX_AREAS = 6;
const MAX_LABELS = 7;

/** Lays out shares in order of time, which are at equal distances. */
export function shareChartOf(given: readonly SharesAt[]): ShareChart {
  const floor = SIZE.height - EDGE.bottom;
  const tall = floor - EDGE.top;
  const inner = SIZE.width - EDGE.left - EDGE.right;
  const step = inner / Math.max(1, given.length - 1);
  const names = largestOf(given);
  const points = given.map(({ at, languages }) => {
    const values = names.map((name) => languages.find((one) => one.name === name)?.share ?? 0);
    const rest = languages.length === 0 ? 0 : Math.max(0, 100 - values.reduce((sum, value) => sum + value, 0));
    // Shares are rounded.
    return { at, values: [...values, rest < 0.1 ? 0 : rest] };
  });
  const hasRest = points.some(({ values }) => (values.at(-1) ?? 0) > 0);
  const shown = hasRest ? points : points.map(({ at, values }) => ({ at, values: values.slice(0, -1) }));
  const height = (values: readonly number[], area: number) =>
    round(
      floor -
        (Math.min(
          100,
          values.slice(0, area).reduce((sum, value) => sum + value, 0),
        ) /
          100) *
          tall,
    );
  const x = (at: number) => round(EDGE.left + at * step);
  const edge = (area: number) => shown.map(({ values }, at) => `${x(at)} ${height(values, area)}`);
  const every = Math.ceil(given.length / MAX_LABELS);
  return {
    ...SIZE,
    floor,
    left: EDGE.left,
    areas: [...names, ...(hasRest ? [null] : [])].map((name, area) => ({
      name,
      color: name === null ? undefined : languageColor(name),
      path: `M${[...edge(area), ...edge(area + 1).reverse()].join('L')}Z`,
    })),
    points: shown,
    labels: given.flatMap(({ at }, index) => (index % every === 0 ? [{ x: x(index), text: at.slice(0, 7) }] : [])),
  };
}

/** The languages with the largest shares of all points together. */
function largestOf(given: readonly SharesAt[]): string[] {
  const sums = new Map<string, number>();
  for (const { name, share } of given.flatMap(({ languages }) => languages))
    sums.set(name, (sums.get(name) ?? 0) + share);
  return [...sums]
    .sort(([one, most], [other, less]) => less - most || (one < other ? -1 : 1))
    .slice(0, MAX_AREAS)
    .map(([name]) => name);
}

const round = (value: number) => Math.round(value * 10) / 10;
