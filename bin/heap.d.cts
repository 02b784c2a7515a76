export const heapOptions: string[];
export const heapSettings: Record<string, string>;
