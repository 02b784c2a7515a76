/** A job as the graph shows it. */
export interface GraphJob {
  databaseId: number;
  name: string;
  status: string;
  stage: string;
  /** Names of the jobs that it waits for; empty for those of earlier stages, or none. */
  needs: readonly string[];
}

/** A picture of which jobs wait for which: sizes and places in pixels. */
export interface NeedsGraph<J> {
  width: number;
  height: number;
  boxes: { x: number; y: number; label: string; job: J }[];
  /** Paths of SVG from a job to one that waits for it. */
  edges: string[];
}

/** The size of a box, and what is between them. */
export const BOX = { width: 176, height: 32 };
const GAP = { x: 48, y: 12 };
const MARGIN = 4;

/** Jobs of the largest graph that is drawn: the list of stages has all of them. */
const MAX_JOBS = 60;
/** Characters of the longest name in a box. */
const MAX_NAME_LENGTH = 19;

/**
 * A layered graph: a job stands to the right of all that it needs, by the longest path; one without needs in the column of its stage.
 * Null if no job needs another, or for more jobs than are drawn.
 */
export function needsGraph<J extends GraphJob>(jobs: readonly J[]): NeedsGraph<J> | null {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const needsOf = (job: J) => job.needs.flatMap((name) => byName.get(name) ?? []);
  if (jobs.length > MAX_JOBS || jobs.every((job) => needsOf(job).length === 0)) return null;
  const stages = [...new Set(jobs.map(({ stage }) => stage))];
  const layers = new Map<J, number>();
  const layerOf = (job: J, above: ReadonlySet<J> = new Set()): number => {
    const known = layers.get(job);
    if (known !== undefined) return known;
    // A circle cannot be in a pipeline; records of one would not end here.
    const needed = needsOf(job).filter((one) => !above.has(one) && one !== job);
    const within = new Set([...above, job]);
    const layer =
      needed.length > 0 ? 1 + Math.max(...needed.map((one) => layerOf(one, within))) : stages.indexOf(job.stage);
    layers.set(job, layer);
    return layer;
  };
  const columns = [...Map.groupBy(jobs, (job) => layerOf(job))].sort(([a], [b]) => a - b).map(([, column]) => column);
  const boxes = columns.flatMap((column, x) =>
    column.map((job, y) => ({
      x: MARGIN + x * (BOX.width + GAP.x),
      y: MARGIN + y * (BOX.height + GAP.y),
      label: job.name.length > MAX_NAME_LENGTH ? `${job.name.slice(0, MAX_NAME_LENGTH - 1)}…` : job.name,
      job,
    })),
  );
  const place = new Map(boxes.map((box) => [box.job, box]));
  const edges = boxes.flatMap((to) =>
    needsOf(to.job).flatMap((needed) => {
      const from = place.get(needed);
      return from && from !== to ? [edge(from, to)] : [];
    }),
  );
  const tallest = Math.max(...columns.map(({ length }) => length));
  return {
    width: 2 * MARGIN + columns.length * BOX.width + (columns.length - 1) * GAP.x,
    height: 2 * MARGIN + tallest * BOX.height + (tallest - 1) * GAP.y,
    boxes,
    edges,
  };
}

interface Point {
  x: number;
  y: number;
}

/** A curve from the right side of one box to the left side of another. */
function edge(from: Point, to: Point): string {
  const [x, y] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [endX, endY] = [to.x, to.y + BOX.height / 2];
  const half = GAP.x / 2;
  return `M${x} ${y}C${x + half} ${y} ${endX - half} ${endY} ${endX} ${endY}`;
}
