/** What a chart shows of a span of time. */
export interface Span {
  /** ISO 8601. */
  from: string;
  totalCount: number;
  successCount: number;
  failedCount: number;
  /** In seconds. */
  medianDuration: number | null;
}

/** A rectangle, in the units of the picture. */
interface Bar {
  kind: 'good' | 'bad' | 'other';
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Two pictures of the same spans: how many pipelines ended how, and how long they took. */
export interface Charts {
  width: number;
  height: number;
  /** Where the lowest line is. */
  floor: number;
  /** Where the picture begins that is left of its words. */
  left: number;
  bars: Bar[];
  /** What the highest line stands for. */
  mostCount: number;
  mostDuration: number;
  points: { x: number; y: number }[];
  /** Of SVG; spans without pipelines interrupt it. */
  line: string;
  labels: { x: number; text: string }[];
}

const SIZE = { width: 720, height: 220 };
const EDGE = { left: 56, right: 8, top: 20, bottom: 28 };
/** Labels that fit below the picture. */
const MAX_LABELS = 7;

/** Lays out the charts of spans in order of time. */
export function chartsOf(spans: readonly Span[]): Charts {
  const inner = SIZE.width - EDGE.left - EDGE.right;
  const tall = SIZE.height - EDGE.top - EDGE.bottom;
  const floor = SIZE.height - EDGE.bottom;
  const step = inner / Math.max(1, spans.length);
  const mostCount = Math.max(1, ...spans.map(({ totalCount }) => totalCount));
  const mostDuration = Math.max(1, ...spans.map(({ medianDuration }) => medianDuration ?? 0));
  const bars = spans.flatMap(({ totalCount, successCount, failedCount }, at): Bar[] => {
    const x = round(EDGE.left + at * step + step * 0.15);
    const parts = [
      ['good', successCount],
      ['bad', failedCount],
      ['other', totalCount - successCount - failedCount],
    ] as const;
    let y = floor;
    return parts.flatMap(([kind, count]) => {
      if (count <= 0) return [];
      const height = (count / mostCount) * tall;
      y -= height;
      return { kind, x, y: round(y), width: round(step * 0.7), height: round(height) };
    });
  });
  const places = spans.map(({ medianDuration }, at) =>
    medianDuration === null
      ? null
      : { x: round(EDGE.left + (at + 0.5) * step), y: round(floor - (medianDuration / mostDuration) * tall) },
  );
  const every = Math.ceil(spans.length / MAX_LABELS);
  return {
    ...SIZE,
    floor,
    left: EDGE.left,
    bars,
    mostCount,
    mostDuration,
    points: places.filter((place) => place !== null),
    line: places
      .map((place, at) => place && `${at > 0 && places[at - 1] ? 'L' : 'M'}${place.x} ${place.y}`)
      .filter((part) => part !== null)
      .join(''),
    labels: spans.flatMap(({ from }, at) =>
      at % every === 0 ? [{ x: round(EDGE.left + (at + 0.5) * step), text: from.slice(5, 10) }] : [],
    ),
  };
}

const round = (value: number) => Math.round(value * 10) / 10;
