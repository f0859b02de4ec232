// The CPU seconds of one run: the median of rounds of a twentieth of a second, after a run that warms up.
module.exports = async function seconds(work) {
  await work();
  const rounds = [];
  for (let round = 0; round < 5; round++) {
    const start = process.cpuUsage();
    let runs = 0, used = 0;
    do {
      await work();
      runs++;
      const usage = process.cpuUsage(start);
      used = (usage.user + usage.system) / 1e6;
    } while (used < 0.05);
    rounds.push(used / runs);
  }
  return rounds.sort((a, b) => a - b)[2];
};
