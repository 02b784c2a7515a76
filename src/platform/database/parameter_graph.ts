/** The graph as Prisma generates it: names, and the rest as bytes in base64url. */
interface SerializedGraph {
  strings: string[];
  graph: string;
}

/** An argument: which kinds of values become parameters (bits), and where the graph goes on. */
interface InputEdge {
  flags: number;
  scalarMask?: number;
  childNodeId?: number;
  enumNameIndex?: number;
}

interface OutputEdge {
  argsNodeId?: number;
  outputNodeId?: number;
}

/** A node, by whose edges Prisma's runtime goes on; the keys of `edges` are indices of `strings`. */
interface GraphNode<Edge> {
  readonly edges: Record<number, Edge>;
}

/** The graph as Prisma's runtime walks it. */
export interface ParameterGraph {
  strings: string[];
  inputNodes: GraphNode<InputEdge>[];
  outputNodes: GraphNode<OutputEdge>[];
  roots: Record<string, OutputEdge>;
}

/**
 * Reads the graph by which Prisma's runtime tells the values of a query from its form, as the runtime's own reader does, but for one thing:
 * the edges of a node are read when a query first comes to it. All of them would take 23 MB, and a server comes to few.
 * `scripts/generate.ts` puts this into the place of that reader.
 */
export function parameterGraph({ strings, graph }: SerializedGraph): ParameterGraph {
  const reader = new Reader(Buffer.from(graph, 'base64url'));
  const [inputCount, outputCount, rootCount] = [reader.varint(), reader.varint(), reader.varint()];
  const inputNodes = Array.from({ length: inputCount }, () => lazyNode(reader, readInputEdge));
  const outputNodes = Array.from({ length: outputCount }, () => lazyNode(reader, readOutputEdge));
  const roots: Record<string, OutputEdge> = {};
  for (let root = 0; root < rootCount; root++) roots[strings[reader.varint()] ?? ''] = readOutputEdge(reader);
  return { strings, inputNodes, outputNodes, roots };
}

/** Steps over a node and keeps where it is. */
function lazyNode<Edge>(reader: Reader, read: (reader: Reader) => Edge): GraphNode<Edge> {
  const node = new LazyNode(reader, read);
  for (let left = reader.varint(); left > 0; left--) {
    reader.varint();
    read(reader);
  }
  return node;
}

class LazyNode<Edge> implements GraphNode<Edge> {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #read: (reader: Reader) => Edge;
  #edges: Record<number, Edge> | undefined;

  constructor(reader: Reader, read: (reader: Reader) => Edge) {
    this.#bytes = reader.bytes;
    this.#start = reader.at;
    this.#read = read;
  }

  get edges(): Record<number, Edge> {
    this.#edges ??= this.#readEdges();
    return this.#edges;
  }

  #readEdges(): Record<number, Edge> {
    const reader = new Reader(this.#bytes, this.#start);
    const edges: Record<number, Edge> = {};
    for (let left = reader.varint(); left > 0; left--) edges[reader.varint()] = this.#read(reader);
    return edges;
  }
}

function readInputEdge(reader: Reader): InputEdge {
  const [scalarMask, childNodeId, enumNameIndex] = [reader.uint16(), reader.optional(), reader.optional()];
  return { flags: reader.byte(), scalarMask, childNodeId, enumNameIndex };
}

function readOutputEdge(reader: Reader): OutputEdge {
  return { argsNodeId: reader.optional(), outputNodeId: reader.optional() };
}

class Reader {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  uint16(): number {
    this.at += 2;
    return this.bytes.readUInt16LE(this.at - 2);
  }

  /** A whole number in pieces of seven bits, the lowest first. */
  varint(): number {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
  }

  /** A whole number, which is one more than it means: 0 stands for none. */
  optional(): number | undefined {
    const number = this.varint();
    return number === 0 ? undefined : number - 1;
  }
}
