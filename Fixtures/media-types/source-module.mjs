import { readFile } from "node:fs/promises";

export const head = async (path) => (await readFile(path)).subarray(0, 4096);
export default head;
