package main

import (
	"sort"
	"syscall"
)

func cpu() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}

// The CPU seconds of one run: the median of rounds of a twentieth of a second, after a run that warms up.
func seconds(work func()) float64 {
	work()
	rounds := []float64{}
	for len(rounds) < 9 {
		start, runs := cpu(), 0
		for cpu()-start < 0.05 {
			work()
			runs++
		}
		rounds = append(rounds, (cpu()-start)/float64(runs))
	}
	sort.Float64s(rounds)
	return rounds[4]
}
